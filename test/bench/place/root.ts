import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The project, also from where the bench runs bundled. */
export const projectRoot = rootAbove(import.meta.dirname)
export const agencScript = join(projectRoot, 'bin', 'agenc.cjs')

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package-lock.json')) ? directory : rootAbove(dirname(directory))
}
