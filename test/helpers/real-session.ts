import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sandbox } from './cli.ts'
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
