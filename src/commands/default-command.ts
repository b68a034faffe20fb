import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'

/** The command that plain `agenc` runs: setup the first time, the session later, help if there is no terminal. */
export function defaultCommand({ stdin, out, err, paths }: Context): string[] {
  if (!stdin.isTTY || !out.isTerminal || !err.isTerminal) return ['--help']
  const isFirstTime = !existsSync(paths.config) && !existsSync(paths.database)
  return isFirstTime ? ['setup', '--welcome'] : ['tmux', 'attach']
}
