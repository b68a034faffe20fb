import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { AgencError } from '../../errors.ts'
import { writeFileAtomically } from '../../io/files.ts'
import { quoteForShell } from '../../io/shell-quote.ts'
import { scripts } from './shell-scripts.ts'
import type { Shell } from './shells.ts'

export interface Installation {
  shell: Shell
  path: string
  /** What the user has to do, where the shell does not look there by itself. */
  next: string
  isThere: boolean
}

/** Where this shell looks for the completions of a user; nothing is written. */
export function installationFor(context: Context, shell: Shell): Installation {
  const { path, next } = place(context, shell)
  return { shell, path, next, isThere: textAt(path) === scripts[shell] }
}

export function install({ path, shell }: Installation): void {
  try {
    writeFileAtomically(path, scripts[shell])
  } catch (error) {
    throw new AgencError(
      `cannot write ${path}: ${(error as Error).message}`,
      `Put what 'agenc completion ${shell}' prints where your shell reads it.`,
    )
  }
}

/** null: nothing that could be read. */
function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function place({ env, exec }: Context, shell: Shell): { path: string; next: string } {
  const home = env.HOME || homedir()
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share')
  switch (shell) {
    case 'bash':
      return {
        path: join(env.BASH_COMPLETION_USER_DIR || join(data, 'bash-completion'), 'completions', 'agenc'),
        next: 'New shells have it, provided that bash-completion is installed.',
      }
    case 'fish':
      return {
        path: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish', 'completions', 'agenc.fish'),
        next: 'It works in every fish at once.',
      }
    case 'zsh': {
      const own = zshDirectories(exec.capture('zsh', ['-c', 'print -rl -- $fpath'], { env }).stdout, home)
      const directory = own ?? join(data, 'zsh', 'site-functions')
      const line = `fpath=(${quoteForShell(directory)} $fpath)`
      return {
        path: join(directory, '_agenc'),
        next: own ? 'New shells have it.' : `Add to ~/.zshrc, before compinit runs: ${line}`,
      }
    }
  }
}

/** A place of the user's own that zsh looks at already. */
function zshDirectories(listed: string, home: string): string | undefined {
  return listed.split('\n').find(directory => directory.startsWith(`${home}/`))
}
