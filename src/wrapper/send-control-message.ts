import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory } from '../io/files.ts'
import { randomUuid } from '../io/random.ts'
import type { Word } from './control-message.ts'
import { spoolPaths } from './spool.ts'
import { ringBell } from './wakeup-fifo.ts'

export function requestRestart(runDirectory: string): void {
  tellWrapper(runDirectory, { agenc: 'restart' })
}

/** Leaves a word for a running wrapper, on the way that its hooks use. */
export function tellWrapper(runDirectory: string, word: Word): void {
  const { events, bell } = spoolPaths(runDirectory)
  const name = `command-${randomUuid()}`
  const draft = join(runDirectory, name)
  makePrivateDirectory(events)
  writeFileSync(draft, JSON.stringify(word), { mode: 0o600 })
  renameSync(draft, join(events, name))
  ringBell(bell)
}
