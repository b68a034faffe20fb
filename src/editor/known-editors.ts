export type EditorKind = 'ide' | 'terminal'

export interface Editor {
  readonly name: string
  readonly kind: EditorKind
  /** The first of these on PATH is run. */
  readonly programs: readonly string[]
  /** `{dir}` stands for the directory. */
  readonly args: readonly string[]
  /** On macOS, where the program is not on PATH, this application is opened. */
  readonly macApp: string | null
}

/** In the order in which `auto` tries them. */
export const editors: readonly Editor[] = [
  // `zed` alone may be the ZFS event daemon; where both are there, the editor is `zeditor`.
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
