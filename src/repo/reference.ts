import { fileURLToPath } from 'node:url'
import { refuse } from './refusal.ts'
import { parseRemote } from './remote.ts'
import type { RepoId } from './repo-id.ts'

/** Where a repo is known, and where its commits come from. */
export interface Source {
  id: RepoId
  /** The real remote: what a working copy calls `origin`. Never holds a password. */
  url: string
  /** What the library fetches from: the same, except for local paths and URLs with a password. */
  fetchUrl: string
}

export type Reference = { kind: 'path'; path: string } | ({ kind: 'remote' } & Source)

const longestReference = 2_000
const pathStart = /^(?:\/|\.{1,2}(?:\/|$)|~(?:\/|$))/
const controlCharacter = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const transportHelper = /^[A-Za-z0-9][A-Za-z0-9+.-]*::/

/** What a user typed, told apart without looking at the disk. Refuses what could be meant for git's option parser. */
export function parseReference(text: string): Reference {
  if (text === '') throw refuse(text, 'it is empty')
  if (text.length > longestReference) throw refuse(text, 'it is too long')
  if (controlCharacter.test(text)) throw refuse(text, 'it has control characters in it')
  if (text.startsWith('-')) throw refuse(text, 'it starts with a dash, as an option does')
  if (transportHelper.test(text)) {
    throw refuse(text, 'a <transport>:: address makes git run another program')
  }
  if (/^file:\/\//i.test(text)) return { kind: 'path', path: pathOfFileUrl(text) }
  if (pathStart.test(text)) return { kind: 'path', path: text }
  return { kind: 'remote', ...parseRemote(text) }
}

function pathOfFileUrl(text: string): string {
  let path = ''
  try {
    path = fileURLToPath(text)
  } catch {
    throw refuse(text, 'it is not the address of a directory on this machine')
  }
  if (controlCharacter.test(path)) throw refuse(text, 'it has control characters in it')
  return path
}
