import { readFileSync } from 'node:fs'
import { configError, errorCode } from '../errors.ts'

/** The file's text, or null where there is none yet. */
export function readConfigText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw configError(
      `cannot read ${path}: ${(error as Error).message}`,
      'Check who owns the file and its mode.',
    )
  }
}
