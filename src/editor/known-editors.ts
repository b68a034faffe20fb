import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../system/find-program.ts'

export type EditorKind = 'ide' | 'terminal'

export interface Editor {
  readonly name: string
  readonly kind: EditorKind
  /** The first of these on PATH is run. */
  readonly programs: readonly string[]
  /** `{dir}` stands for the directory. */
  readonly args: readonly string[]
  /** On macOS this application is opened if the program is not on PATH. */
  readonly macApp: string | null
}

/** In the order in which `auto` tries them. */
export const editors: readonly Editor[] = [
  // `zed` may be the ZFS event daemon. If both programs are installed, the editor is `zeditor`.
  ide('zed', ['zeditor', 'zed'], 'Zed'),
  ide('vscode', ['code'], 'Visual Studio Code'),
  ide('cursor', ['cursor'], 'Cursor'),
  ide('windsurf', ['windsurf'], 'Windsurf'),
  terminal('kitty', ['--directory', '{dir}'], 'kitty'),
  terminal('alacritty', ['--working-directory', '{dir}'], 'Alacritty'),
  terminal('wezterm', ['start', '--cwd', '{dir}'], 'WezTerm'),
  terminal('gnome-terminal', ['--working-directory={dir}'], null),
  terminal('konsole', ['--workdir', '{dir}'], null),
  macTerminal('iterm2', 'iTerm'),
  macTerminal('terminal-app', 'Terminal'),
]

function ide(name: string, programs: string[], macApp: string): Editor {
  return { name, kind: 'ide', programs, args: ['{dir}'], macApp }
}

function terminal(name: string, args: string[], macApp: string | null): Editor {
  return { name, kind: 'terminal', programs: [name], args, macApp }
}

function macTerminal(name: string, macApp: string): Editor {
  return { name, kind: 'terminal', programs: [], args: [], macApp }
}

/** The facts that decide whether an editor is installed. */
export interface Machine {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** The directories in which macOS keeps applications. Tests set their own. */
  appDirs?: readonly string[]
}

/**
 * The command line that opens a directory, with the program's absolute path and `{dir}` still in it. Returns null if
 * the editor is not installed.
 */
export function commandOf(editor: Editor, machine: Machine): string[] | null {
  for (const program of editor.programs) {
    const found = findProgram(program, machine.env)
    if (found) return [found, ...editor.args]
  }
  if (machine.platform !== 'darwin' || editor.macApp === null || !hasApp(editor.macApp, machine)) return null
  const open = findProgram('open', machine.env)
  return open === null ? null : [open, ...macArguments(editor, editor.macApp)]
}

/** An application that takes the directory as an option reads its options only in a new instance (`-n`). */
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
