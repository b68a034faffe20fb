import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../io/json.ts'

/** Finds a conversation's file by its id, because Claude moves transcripts between projects. */
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

/** Deletes the files of one conversation, with those of its subagents, wherever Claude has put them. */
export function deleteConversation(claudeDirectory: string, sessionId: string): void {
  const projects = join(claudeDirectory, 'projects')
  for (const project of directoriesIn(projects))
    for (const name of [`${sessionId}.jsonl`, sessionId])
      rmSync(join(projects, project, name), { recursive: true, force: true })
}

/** The latest conversation in a directory. Claude names a project after its path, with dashes for other characters. */
export function newestTranscript(claudeDirectory: string, directory: string): string | null {
  const project = join(claudeDirectory, 'projects', directory.replace(/[^A-Za-z0-9]/g, '-'))
  const paths = directoriesIn(project)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(project, name))
  const changedMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return paths.sort((a, b) => changedMs(b) - changedMs(a))[0] ?? null
}

const wordlessBytes = 1024 * 1024

/** Whether the transcript has a message. Claude cannot resume a transcript with only names and modes. */
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

/** Whether the user has said exactly this since then. The same words may have been said earlier in the conversation. */
export function holdsPrompt(transcript: string, prompt: string, sinceMs: number): boolean {
  return linesFrom(transcript, 0).some(line => {
    const { type, message, timestamp } = parsed(line)
    if (type !== 'user' || !isObject(message) || Date.parse(String(timestamp)) < sinceMs) return false
    return textIn(message.content).trim() === prompt.trim()
  })
}

const tailBytes = 256 * 1024

/** The latest text that Claude wrote in the main conversation. Null if the end of the transcript has none. */
export function lastMessageIn(transcript: string): string | null {
  const said = lastSaidIn(transcript)
  return said && messageIn(said)
}

function lastSaidIn(transcript: string): Record<string, unknown> | null {
  const lines = linesFrom(transcript, Math.max(0, transcriptBytes(transcript) - tailBytes))
  const said = lines.findLast(line => line.includes('"assistant"') && messageIn(parsed(line)) !== '')
  return said === undefined ? null : parsed(said)
}

/**
 * When Claude's usage limit ends, if the last thing in a transcript is that it was reached. Hooks do not tell it. Claude
 * writes the line a moment after its hook runs.
 */
export function limitEndIn(transcript: string): Date | null {
  const { apiErrorParams } = lastSaidIn(transcript) ?? {}
  const info = isObject(apiErrorParams) ? apiErrorParams.rate_limit_info : null
  const seconds = isObject(info) ? info.resetsAt : null
  return typeof seconds === 'number' ? new Date(seconds * 1000) : null
}

function messageIn({ type, message, isSidechain }: Record<string, unknown>): string {
  return type === 'assistant' && isSidechain !== true && isObject(message) ? textIn(message.content) : ''
}

export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}

function directoriesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** The decisions on permission requests that a transcript records from some byte on. */
export interface Decisions {
  /** The answers of agenc's hooks that Claude took, by the id of the tool use. */
  byHook: Map<string, 'allow' | 'deny'>
  /** The ids of tool uses that have ended. Claude always writes a hook's decision before the end of the use. */
  ended: Set<string>
}

/** Returns the transcript's size, or 0 if it does not exist yet. */
export function transcriptBytes(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** The format is undocumented, but it is the same in every version that has permission hooks. */
export function readDecisions(path: string, fromByte: number): Decisions {
  const decisions: Decisions = { byHook: new Map(), ended: new Set() }
  for (const line of linesFrom(path, fromByte)) note(decisions, line)
  return decisions
}

function note({ byHook, ended }: Decisions, line: string): void {
  if (!/hook_permission_decision|tool_result/.test(line)) return
  const entry = parsed(line)
  const attachment = isObject(entry.attachment) ? entry.attachment : {}
  if (attachment.hookEvent === 'PermissionRequest' && attachment.type === 'hook_permission_decision')
    byHook.set(String(attachment.toolUseID), attachment.decision === 'deny' ? 'deny' : 'allow')
  const content = isObject(entry.message) ? entry.message.content : null
  for (const block of Array.isArray(content) ? content.filter(isObject) : [])
    if (block.type === 'tool_result') ended.add(String(block.tool_use_id))
}

export function parsed(line: string): Record<string, unknown> {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? entry : {}
  } catch {
    return {}
  }
}

/** The complete lines from some byte on. The last one may still be being written. */
export function transcriptLines(path: string, fromByte: number): { line: string; endByte: number }[] {
  let endByte = fromByte
  const lines = linesFrom(path, fromByte).slice(0, -1)
  return lines.map(line => {
    endByte += Buffer.byteLength(line) + 1
    return { line, endByte }
  })
}

function linesFrom(path: string, fromByte: number): string[] {
  try {
    const file = openSync(path, 'r')
    try {
      const text = Buffer.alloc(Math.max(0, fstatSync(file).size - fromByte))
      readSync(file, text, 0, text.length, fromByte)
      return text.toString('utf8').split('\n')
    } finally {
      closeSync(file)
    }
  } catch {
    return []
  }
}
