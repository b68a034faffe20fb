import { isAbsolute } from 'node:path'
import { AgencError } from '../errors.ts'
import { findProgram } from '../system/find-program.ts'
import { commandOf, type EditorKind, editors, type Machine } from './known-editors.ts'

/** The `editor` section of the settings. */
export interface EditorSettings {
  name: string
  command?: readonly string[] | undefined
}

export interface Choice {
  /** The name of a known editor, or the user's own program. */
  name: string
  /** `own` is from `editor.command`, and `variable` from `$VISUAL` or `$EDITOR`. */
  kind: EditorKind | 'own' | 'variable'
  /** Begins with the program's absolute path and still contains `{dir}`. */
  command: string[]
  /** Configured editors that were passed over, and why. */
  warnings: string[]
}

const exampleCommand = `agenc config set editor.command '["emacs", "{dir}"]'`

export interface Listed {
  name: string
  kind: EditorKind | 'own'
  installed: boolean
  chosen: boolean
}

/**
 * Takes the user's own command, else the configured editor, else the next known editor that is installed. With `auto`,
 * `$VISUAL` and `$EDITOR` come before terminals, and before everything that needs a display if there is none.
 */
export function chooseEditor(settings: EditorSettings, machine: Machine): Choice {
  const warnings: string[] = []
  if (settings.command) {
    const [name, ...args] = withDir(settings.command)
    const program = findProgram(name!, machine.env)
    if (program) return { name: name!, kind: 'own', command: [program, ...args], warnings }
    const isRelative = name!.includes('/') && !isAbsolute(name!)
    warnings.push(`${name} (editor.command) is ${isRelative ? 'not an absolute path' : 'not installed'}`)
  }
  const fromVariable = editorInVariables(machine)
  const isAuto = settings.name === 'auto'
  if (isAuto && fromVariable && !hasDisplay(machine)) return { ...fromVariable, warnings }
  for (const editor of inOrder(settings.name)) {
    if (isAuto && fromVariable && editor.kind === 'terminal') break
    const command = commandOf(editor, machine)
    if (command) return { name: editor.name, kind: editor.kind, command, warnings }
    if (editor.name === settings.name) warnings.push(`${editor.name} is not installed`)
  }
  if (fromVariable) return { ...fromVariable, warnings }
  throw new AgencError(
    'No editor found. Set editor.command or $EDITOR.',
    [...warnings.map(warning => `${warning}.`), `For example: ${exampleCommand}`].join('\n'),
  )
}

/** Without a display an editor may start and show no window. A remote VS Code shows it elsewhere. */
export function hasDisplay({ platform, env }: Machine): boolean {
  return platform === 'darwin' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.VSCODE_IPC_HOOK_CLI)
}

/** A variable may hold arguments too, as in `emacsclient -t`. */
function editorInVariables({ env }: Machine): Omit<Choice, 'warnings'> | null {
  for (const value of [env.VISUAL, env.EDITOR]) {
    const [name, ...args] = withDir((value ?? '').split(/\s+/).filter(word => word !== ''))
    const program = name === '{dir}' ? null : findProgram(name!, env)
    if (program) return { name: name!, kind: 'variable', command: [program, ...args] }
  }
  return null
}

/** Lists the user's own command, if there is one, and every known editor. */
export function listEditors(settings: EditorSettings, machine: Machine): Listed[] {
  const choice = choiceOrNull(settings, machine)
  const own = settings.command?.[0]
  const rows: Listed[] = editors.map(editor => ({
    name: editor.name,
    kind: editor.kind,
    installed: commandOf(editor, machine) !== null,
    chosen: choice?.name === editor.name && choice.kind === editor.kind,
  }))
  if (own === undefined) return rows
  const installed = findProgram(own, machine.env) !== null
  return [{ name: own, kind: 'own', installed, chosen: choice?.kind === 'own' }, ...rows]
}

function choiceOrNull(settings: EditorSettings, machine: Machine): Choice | null {
  try {
    return chooseEditor(settings, machine)
  } catch {
    return null
  }
}

/** All known editors, starting with the named one. `auto` starts with the first. */
function inOrder(name: string) {
  const first = Math.max(
    0,
    editors.findIndex(editor => editor.name === name),
  )
  return [...editors.slice(first), ...editors.slice(0, first)]
}

function withDir(command: readonly string[]): string[] {
  return command.some(word => word.includes('{dir}')) ? [...command] : [...command, '{dir}']
}
