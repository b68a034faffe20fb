import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where the conversation is stored, searched by its id: Claude moves transcripts between projects. */
export function findTranscript(
  claudeDirectory: string,
  sessionId: string,
  knownPath: string | null,
): string | null {
  if (knownPath?.endsWith(`${sessionId}.jsonl`) && existsSync(knownPath)) return knownPath
  const projects = join(claudeDirectory, 'projects')
  for (const project of directoriesIn(projects)) {
    const path = join(projects, project, `${sessionId}.jsonl`)
    if (existsSync(path)) return path
  }
  return null
}

function directoriesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
