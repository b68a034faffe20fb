import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../exec/find.ts'
import type { Editor } from './table.ts'

/** What decides whether an editor is here. */
export interface Machine {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** Where macOS keeps applications; a test has its own. */
  appDirs?: readonly string[]
}

/** The command line that opens a directory, `{dir}` still in it; null when the editor is not installed. */
export function commandOf(editor: Editor, machine: Machine): string[] | null {
  for (const program of editor.programs) {
    if (findProgram(program, machine.env)) return [program, ...editor.args]
  }
  if (machine.platform !== 'darwin' || editor.macApp === null || !hasApp(editor.macApp, machine)) return null
  return macCommand(editor, editor.macApp)
}

/** An application that takes its directory as an option gets it only when started anew (`-n`). */
function macCommand({ kind, args }: Editor, app: string): string[] {
  return kind === 'terminal' && args.length > 0
    ? ['open', '-na', app, '--args', ...args]
    : ['open', '-a', app, '{dir}']
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
