import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Entry } from './conversation-entry.ts'
import { modeFromWord, type PermissionMode } from './modes.ts'
import type { Places } from './places.ts'
import { spokenPart } from './script.ts'
import { type Line, readTranscript } from './transcript.ts'

/** A conversation found on disk. */
export interface SavedSession {
  sessionId: string
  path: string
  lines: Line[]
  name?: string
  mode?: PermissionMode
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function isSessionId(text: string): boolean {
  return uuid.test(text)
}

/** By id in any project, or by name in this one. */
export function findSession(places: Places, cwd: string, wanted: string): SavedSession | undefined {
  if (!isSessionId(wanted)) return sessionsIn(places.project(cwd)).find(session => session.name === wanted)
  const projects = join(places.config, 'projects')
  const here = [places.project(cwd), ...directoriesIn(projects).map(name => join(projects, name))]
  const path = here.map(project => join(project, `${wanted}.jsonl`)).find(candidate => existsSync(candidate))
  return path ? savedSession(path) : undefined
}

export function latestSession(places: Places, cwd: string): SavedSession | undefined {
  return sessionsIn(places.project(cwd))[0]
}

function sessionsIn(project: string): SavedSession[] {
  if (!existsSync(project)) return []
  const paths = readdirSync(project)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(project, name))
  return paths.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs).map(savedSession)
}

function directoriesIn(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

function savedSession(path: string): SavedSession {
  const lines = readTranscript(path)
  const mode = lines.findLast(line => line.type === 'permission-mode')?.permissionMode
  return {
    sessionId: basename(path, '.jsonl'),
    path,
    lines,
    name: lines.findLast(line => line.type === 'custom-title')?.customTitle as string | undefined,
    mode: typeof mode === 'string' ? modeFromWord(mode) : undefined,
  }
}

/** What of a saved conversation is shown again. */
export function entriesOf(lines: readonly Line[]): Entry[] {
  return lines.flatMap(line => {
    const content = (line.message as { content?: unknown } | undefined)?.content
    if (line.type === 'user' && typeof content === 'string')
      return [{ kind: 'user', text: spokenPart(content) }]
    if (line.type !== 'assistant' || !Array.isArray(content)) return []
    return content.flatMap((block: Line): Entry[] =>
      block.type === 'text' ? [{ kind: 'assistant', text: String(block.text) }] : [],
    )
  })
}
