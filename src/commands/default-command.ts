import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'

/** What `agenc` alone means: setup the first time, later the session; help if there is no terminal to ask in. */
export function defaultCommand({ stdin, out, err, paths }: Context): string[] {
  if (!stdin.isTTY || !out.isTerminal || !err.isTerminal) return ['--help']
  const isFirstTime = !existsSync(paths.config) && !existsSync(paths.database)
  return isFirstTime ? ['setup', '--welcome'] : ['tmux', 'attach']
}
