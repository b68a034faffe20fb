import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from './hook-event.ts'

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

const wordlessBytes = 1024 * 1024

/** Was anything said in it? Claude notes names and modes in transcripts as well, and resumes none of those. */
export function holdsConversation(transcript: string): boolean {
  try {
    if (statSync(transcript).size > wordlessBytes) return true
    return readFileSync(transcript, 'utf8').split('\n').some(isSaid)
  } catch {
    return false
  }
}

function isSaid(line: string): boolean {
  if (!line.includes('"user"') && !line.includes('"assistant"')) return false
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) && (entry.type === 'user' || entry.type === 'assistant')
  } catch {
    return false
  }
}

function directoriesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
