import { readdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryDirectory } from './cli.ts'

/** Returns a PATH that has every program of the given one except these. */
export function pathWithout(path: string, names: readonly string[]): string {
  return path
    .split(delimiter)
    .filter(directory => directory !== '')
    .map(directory => copyWithout(directory, names))
    .join(delimiter)
}

function copyWithout(directory: string, names: readonly string[]): string {
  const entries = entriesOf(directory)
  if (!names.some(name => entries.includes(name))) return directory
  const copy = temporaryDirectory()
  for (const entry of entries.filter(name => !names.includes(name)))
    symlinkSync(join(directory, entry), join(copy, entry))
  return copy
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
