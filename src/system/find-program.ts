import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Finds the absolute path of a program in PATH, or by its own path, or returns null. Relative paths are ignored:
 * programs are started in working copies, and a relative path would find a file of the repo.
 */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  if (name.includes('/')) return isAbsolute(name) && isExecutable(name) ? name : null
  const directories = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return directories.map(directory => join(directory, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
