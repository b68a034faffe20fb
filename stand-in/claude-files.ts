import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import lockfile from 'proper-lockfile'

/** The paths of the files that Claude keeps. */
export interface ClaudePaths {
  config: string
  claudeJson: string
  sessions: string
  plans: string
  /** The directory with the transcripts of all conversations that were started in `cwd`. */
  project(cwd: string): string
  transcript(cwd: string, sessionId: string): string
  subagentTranscript(cwd: string, sessionId: string, agentId: string): string
  taskOutput(cwd: string, sessionId: string, taskId: string): string
}

export function claudePaths(env: NodeJS.ProcessEnv): ClaudePaths {
  const home = env.HOME || homedir()
  const config = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const project = (cwd: string) => join(config, 'projects', flattened(cwd))
  return {
    config,
    claudeJson: env.CLAUDE_CONFIG_DIR ? join(config, '.claude.json') : join(home, '.claude.json'),
    sessions: join(config, 'sessions'),
    plans: join(config, 'plans'),
    project,
    transcript: (cwd, sessionId) => join(project(cwd), `${sessionId}.jsonl`),
    subagentTranscript: (cwd, sessionId, agentId) =>
      join(project(cwd), sessionId, 'subagents', `agent-${agentId}.jsonl`),
    taskOutput: (cwd, sessionId, taskId) =>
      join(
        tmpdir(),
        `claude-${process.getuid?.() ?? 0}`,
        flattened(cwd),
        sessionId,
        'tasks',
        `${taskId}.output`,
      ),
  }
}

function flattened(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, '-')
}

interface Project {
  hasTrustDialogAccepted?: boolean
  [key: string]: unknown
}

/** The content of `.claude.json`, which all running Claudes share. */
export interface ClaudeJson {
  numStartups?: number
  projects?: Record<string, Project>
  [key: string]: unknown
}

const lockRetries = { retries: 12, factor: 1.3, minTimeout: 40, maxTimeout: 400 }
const staleLockMs = 10_000

export function readClaudeJson(path: string): ClaudeJson {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ClaudeJson
  } catch {
    return {}
  }
}

/** Changes the file under a lock. Like Claude, it writes without the lock if the lock cannot be acquired. */
export async function updateClaudeJson(path: string, change: (json: ClaudeJson) => void): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const release = await lockfile
    .lock(path, { realpath: false, stale: staleLockMs, retries: lockRetries })
    .catch(() => undefined)
  try {
    const json = readClaudeJson(path)
    change(json)
    const temporary = `${path}.tmp.${process.pid}.${randomBytes(4).toString('hex')}`
    writeFileSync(temporary, JSON.stringify(json, null, 2), { mode: 0o600 })
    renameSync(temporary, path)
  } finally {
    await release?.().catch(() => {})
  }
}

/** A trusted directory covers its subdirectories, but its trust stops at the root of a git repository. */
export function isTrusted(json: ClaudeJson, directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (json.projects?.[at]?.hasTrustDialogAccepted) return true
    if (existsSync(join(at, '.git')) || dirname(at) === at) return false
  }
}

export function noteStart(json: ClaudeJson, version: string, now: Date): void {
  json.numStartups = (json.numStartups ?? 0) + 1
  json.firstStartTime ??= now.toISOString()
  json.lastReleaseNotesSeen = version
}

export function noteTrust(json: ClaudeJson, cwd: string): void {
  projectOf(json, cwd).hasTrustDialogAccepted = true
}

export function noteEnd(json: ClaudeJson, cwd: string, sessionId: string, version: string): void {
  Object.assign(projectOf(json, cwd), {
    lastGracefulShutdown: true,
    lastVersionBase: version,
    lastSessionId: sessionId,
  })
}

function projectOf(json: ClaudeJson, cwd: string): Project {
  json.projects ??= {}
  json.projects[cwd] ??= { allowedTools: [], hasTrustDialogAccepted: false }
  return json.projects[cwd]
}
