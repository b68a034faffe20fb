import { writeFileAtomically } from '../io/files.ts'
import { version } from '../version.ts'
import type { Config } from './schema.ts'

/** What prepared.ts reads. */
export function keepPrepared(path: string, text: string, config: Config): void {
  writeFileAtomically(path, JSON.stringify({ version, text, config }))
}
