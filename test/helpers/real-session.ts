import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { agencScript, type Sandbox } from './cli.ts'
import { findRealClaude, seedClaudeHome } from './real-claude.ts'
import { type SessionBox, sessionBox } from './session.ts'
import { startStubApi } from './stub-api.ts'
import { type WrapperBox, wrapperBox } from './wrapper-box.ts'

type Real<Box> = { box: Box } | { missing: string }

/** A session with the real Claude and a scripted model, or the reason why the real Claude is not available. */
export function realSessionBox(): Promise<Real<SessionBox>> {
  return withRealClaude(sessionBox)
}

/** Like `realSessionBox`, but with plain terminals in place of a tmux session. */
export function realWrapperBox(): Promise<Real<WrapperBox>> {
  return withRealClaude(wrapperBox)
}

async function withRealClaude<Box extends Sandbox>(open: () => Box): Promise<Real<Box>> {
  const real = await findRealClaude()
  if ('missing' in real) return real
  const api = await startStubApi()
  const box = open()
  onTestFinished(() => api.close())
  mkdirSync(box.home, { recursive: true })
  const { env } = seedClaudeHome(box.home, [], api.baseUrl)
  const { PATH: _, ...own } = env
  Object.assign(box.env, own, { TERM: 'xterm-256color' })
  const claude = join(box.root, 'bin', 'claude')
  rmSync(claude)
  symlinkSync(real.path, claude)
  return { box }
}

/** The model is scripted by a server in this process, so no command may block it. Resolves to what it printed. */
export function runBeside(box: Sandbox, args: readonly string[]): Promise<string> {
  return new Promise(resolve =>
    execFile(process.execPath, [agencScript, ...args], { env: box.env, cwd: box.root }, (_, stdout) =>
      resolve(stdout),
    ),
  )
}

/** The lines of a conversation that are complete. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look at lines of many kinds
export function transcriptOf(box: Sandbox, sessionId: string): any[] {
  const projects = join(box.home, '.claude', 'projects')
  const names = readdirSync(projects, { recursive: true, encoding: 'utf8' })
  const name = names.find(path => path.endsWith(`${sessionId}.jsonl`))
  if (name === undefined) return []
  const lines = readFileSync(join(projects, name), 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}
