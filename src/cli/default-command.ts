import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'

/** `agenc` alone: the first time setup, later the session; help where nobody can be asked anything. */
export function wordsAlone({ stdin, out, err, paths }: Context): string[] {
  if (!stdin.isTTY || !out.isTerminal || !err.isTerminal) return ['--help']
  const isFirst = !existsSync(paths.config) && !existsSync(paths.database)
  return isFirst ? ['setup', '--welcome'] : ['tmux', 'attach']
}
