import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ringBell, spoolPaths } from './spool.ts'

/** Leaves a word for a running wrapper, on the way that its hooks use. */
export function requestRestart(runDirectory: string): void {
  const { events, bell } = spoolPaths(runDirectory)
  const name = `command-${randomUUID()}`
  const draft = join(runDirectory, name)
  writeFileSync(draft, JSON.stringify({ agenc: 'restart' }), { mode: 0o600 })
  renameSync(draft, join(events, name))
  ringBell(bell)
}
