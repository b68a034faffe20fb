import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../system/find-program.ts'
import type { Editor } from './known-editors.ts'

/** What decides whether an editor is here. */
export interface Machine {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** Where macOS keeps applications; a test has its own. */
  appDirs?: readonly string[]
}

/** The command line that opens a directory, with an absolute path and `{dir}` still in it; null when the editor is not installed. */
export function commandOf(editor: Editor, machine: Machine): string[] | null {
  for (const program of editor.programs) {
    const found = findProgram(program, machine.env)
    if (found) return [found, ...editor.args]
  }
  if (machine.platform !== 'darwin' || editor.macApp === null || !hasApp(editor.macApp, machine)) return null
  const open = findProgram('open', machine.env)
  return open === null ? null : [open, ...macArguments(editor, editor.macApp)]
}

/** An application that takes its directory as an option gets it only when started anew (`-n`). */
function macArguments({ kind, args }: Editor, app: string): string[] {
  return kind === 'terminal' && args.length > 0 ? ['-na', app, '--args', ...args] : ['-a', app, '{dir}']
}

function hasApp(app: string, { env, appDirs }: Machine): boolean {
  const dirs = appDirs ?? [
    '/Applications',
    '/System/Applications',
    '/System/Applications/Utilities',
    join(env.HOME ?? '/', 'Applications'),
  ]
  return dirs.some(dir => existsSync(join(dir, `${app}.app`)))
}
