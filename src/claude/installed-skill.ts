import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { claudeLocations } from './claude-locations.ts'
import { primeText, skillText } from './prime.ts'

/** The skill in the user's Claude directory. */
export interface InstalledSkill {
  directory: string
  path: string
  /** The text of this version of agenc. */
  text: string
  /** `changed`: a file that agenc did not write, or that was edited since. */
  state: 'missing' | 'current' | 'older' | 'changed'
}

export function installedSkill(context: Context): InstalledSkill {
  const directory = join(claudeLocations(context.env).directory, 'skills', 'agenc')
  const path = join(directory, 'SKILL.md')
  const text = withMark(skillText(primeText(context)))
  return { directory, path, text, state: stateOf(path, text) }
}

function stateOf(path: string, text: string): InstalledSkill['state'] {
  if (!lstatSync(path, { throwIfNoEntry: false })) return 'missing'
  const found = textAt(path)
  if (found === text) return 'current'
  const body = found?.replace(mark, '') ?? ''
  return withMark(body) === found ? 'older' : 'changed'
}

/** Returns null for anything that cannot be read as a file. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Tells a file that agenc wrote from one that was edited. */
const mark = /<!-- written by agenc, \w+ -->\n$/

function withMark(text: string): string {
  return `${text}<!-- written by agenc, ${createHash('sha256').update(text).digest('hex').slice(0, 16)} -->\n`
}
