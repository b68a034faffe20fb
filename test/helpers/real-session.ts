import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findRealClaude, seedClaudeHome } from './real-claude.ts'
import { type SessionBox, sessionBox } from './session.ts'
import { startStubApi } from './stub-api.ts'

/** A session whose Claude is the real one, against a scripted model; or why that cannot be had here. */
export async function realSessionBox(): Promise<{ box: SessionBox } | { missing: string }> {
  const real = await findRealClaude()
  if ('missing' in real) return real
  const api = await startStubApi()
  const box = sessionBox()
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
