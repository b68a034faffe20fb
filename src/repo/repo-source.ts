import type { GitTools } from './git.ts'
import { localSource } from './local.ts'
import { parseReference, type Source } from './reference.ts'

/** What a user typed, as a repo that can be fetched; a path is looked at on the disk. */
export function sourceOf(tools: GitTools, text: string, cwd: string): Source {
  const reference = parseReference(text)
  return reference.kind === 'path' ? localSource(tools, reference.path, cwd) : reference
}
