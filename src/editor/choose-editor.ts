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
  kind: EditorKind | 'own'
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

/** Takes the user's own command, else the configured editor, else the next known editor that is installed. */
export function chooseEditor(settings: EditorSettings, machine: Machine): Choice {
  const warnings: string[] = []
  if (settings.command) {
    const [name, ...args] = withDir(settings.command)
    const program = findProgram(name!, machine.env)
    if (program) return { name: name!, kind: 'own', command: [program, ...args], warnings }
    const isRelative = name!.includes('/') && !isAbsolute(name!)
    warnings.push(`${name} (editor.command) is ${isRelative ? 'not an absolute path' : 'not installed'}`)
  }
  for (const editor of inOrder(settings.name)) {
    const command = commandOf(editor, machine)
    if (command) return { name: editor.name, kind: editor.kind, command, warnings }
    if (editor.name === settings.name) warnings.push(`${editor.name} is not installed`)
  }
  throw new AgencError(
    'No editor found. Set editor.command.',
    [...warnings.map(warning => `${warning}.`), `For example: ${exampleCommand}`].join('\n'),
  )
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
