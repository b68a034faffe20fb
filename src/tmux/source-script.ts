import type { Result, Runner } from '../system/runner.ts'
import type { Tmux } from './tmux.ts'

/** One tmux server, with what it takes to hand it a script. */
export interface KeyServer {
  exec: Runner
  env: NodeJS.ProcessEnv
  tmux: Tmux
}

export interface Sourced {
  lines: string[]
  /** One a command that failed; the others were run all the same. */
  errors: string[]
}

/**
 * Runs a script in one call; null: there is no server, or it has ended over this. Through stdin there is no limit of
 * 16 KB, tmux keeps line breaks between commands, and no server is started as it is for `bind-key` and `list-keys`.
 */
export function source({ exec, env, tmux }: KeyServer, script: readonly string[]): Sourced | null {
  const input = `${script.join('\n')}\n`
  const done = sourcedOf(exec.capture('tmux', tmux.arguments(['source-file', '-']), { env, input }))
  return done.errors.some(text => /^(no server running|error connecting|server exited)/.test(text))
    ? null
    : done
}

export function sourcedOf({ exitCode, stdout, stderr }: Result): Sourced {
  const errors = linesOf(stderr)
  if (exitCode !== 0 && errors.length === 0) errors.push(`exit ${exitCode}`)
  return { lines: linesOf(stdout), errors }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}
