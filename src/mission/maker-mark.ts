import { readFileSync, writeFileSync } from 'node:fs'
import { removeFile } from '../io/files.ts'
import { isObject } from '../io/json.ts'
import type { MissionPaths } from '../paths.ts'
import type { ProcessIdentity, ProcessProbe } from '../system/process-identity.ts'

/** Starts the name of a mission's directory until its mark is written. */
export const unfinishedPrefix = '.new-'

/** Marks a directory that is still being filled, so that it can be told from one that the store has lost. */
export function markAsUnfinished({ maker }: MissionPaths, probe: ProcessProbe): void {
  writeFileSync(maker, JSON.stringify(probe.identify(process.pid)), { mode: 0o600 })
}

export function markAsFinished({ maker }: MissionPaths): void {
  removeFile(maker)
}

/** `being-made` if the process that makes the directory is, or may be, alive; `abandoned` if it was killed. */
export function makingOf({ maker }: MissionPaths, probe: ProcessProbe): 'being-made' | 'abandoned' | 'done' {
  try {
    const process: unknown = JSON.parse(readFileSync(maker, 'utf8'))
    return isIdentity(process) && probe.liveness([process])[0] !== 'dead' ? 'being-made' : 'abandoned'
  } catch {
    return 'done'
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isObject(value) && typeof value.pid === 'number' && typeof value.start === 'string'
}
