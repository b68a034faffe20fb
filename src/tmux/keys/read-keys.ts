import * as v from 'valibot'
import { AgencError } from '../../errors.ts'
import type { Tmux } from '../tmux.ts'
import { bindCommand, line } from '../tmux-script.ts'
import { type KeySetting, keyError, type NamedKey, plainKey } from './key-settings.ts'

/** A server option with the user's own binding of our prefix key. Option and binding both last until the server ends. */
export const keptOption = '@agenc_kept_key'

const original = v.object({ command: v.string(), repeat: v.boolean(), note: v.nullable(v.string()) })

const kept = v.object({
  /** As `list-keys` spells it. */
  key: v.string(),
  /** Null if the key was free. */
  original: v.nullable(original),
})

export type Original = v.InferOutput<typeof original>
export type Kept = v.InferOutput<typeof kept>

export function parseKept(text: string): Kept | null {
  if (!text.startsWith('{')) return null
  try {
    return v.parse(kept, JSON.parse(text))
  } catch {
    return null
  }
}

/** A key binding as `list-keys` shows it. */
export interface Listed {
  table: string
  key: string
  repeat: boolean
  command: string
}

const bindingLine = /^bind-key\s+(-r\s+)?-T\s+(\S+)\s+(\S+)(?:\s+(.*))?$/

export function parseBinding(text: string): Listed | null {
  const match = bindingLine.exec(text)
  if (!match) return null
  return { table: match[2]!, key: match[3]!, repeat: match[1] !== undefined, command: match[4] ?? '' }
}

/** Reads one line of `list-keys -N -P @`, which pads keys to a column. */
export function parseNote(text: string): { key: string; note: string } | null {
  const match = /^@ ?(\S+)\s+(.*)$/.exec(text)
  return match ? { key: match[1]!, note: match[2]! } : null
}

const tokens = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|\s)(?:\\;\\;|\\;|;;)(?=\s|$)|\\.|./gs

/**
 * Rewrites a listed command so that tmux reads it back as it was. `list-keys` prints `\;` both between commands and for
 * an argument that is a semicolon; it separates commands if the name of a command follows. A doubled one stands for a
 * line break. Text in single quotes is escaped as in double quotes.
 */
export function readable(command: string, commandNames: ReadonlySet<string>): string {
  let depth = 0
  const rewrite = (token: string, offset: number) => {
    if (token === '{') depth++
    if (token === '}') depth--
    if (token.length > 1 && token.startsWith("'")) return `"${token.slice(1, -1).replaceAll('"', '\\"')}"`
    if (token === (depth === 0 ? '\\;\\;' : ';;')) return '\n'
    if (token === '\\;' && depth === 0 && commandNames.has(wordAt(command, offset + 3))) return ';'
    return token
  }
  return command.replace(tokens, rewrite)
}

function wordAt(text: string, offset: number): string {
  return /^\S*/.exec(text.slice(offset))![0]
}

/** The keys of a server, read in one call. */
export interface ServerKeys {
  /** The keys of the settings under tmux's own names, in the same order. */
  named: NamedKey[]
  /** The user's prefix keys. */
  prefixes: string[]
  kept: Kept | null
  /** The table `prefix`, by key. */
  bindings: ReadonlyMap<string, Listed & { note: string | null }>
  commandNames: ReadonlySet<string>
}

/** A key table that no key opens. Each process has its own, because two may run at once. */
export const scratchTable = `agenc-scratch-${process.pid}`

/** Returns null if there is no server. */
export function readKeys(tmux: Tmux, settings: readonly KeySetting[]): ServerKeys | null {
  const answer = tmux.source([...settings.flatMap(naming), ...keyQuestions])
  if (answer === null) return null
  const errors = answer.errors.filter(isKeyProblem)
  if (errors.length > 0) throw failure(settings, errors)
  return keysIn(answer.lines, settings)
}

/** The table `prefix` does not exist if the user has removed every binding in it. */
export function isKeyProblem(error: string): boolean {
  return error !== "table prefix doesn't exist"
}

/** Binds a key for a moment, so that `list-keys` prints tmux's own name for it. */
const naming = ({ key }: KeySetting): string[] => [
  bindCommand({ table: scratchTable, key }, ['detach-client']),
  line(['list-keys', '-T', scratchTable]),
  line(['unbind-key', '-a', '-q', '-T', scratchTable]),
]

/** `list-keys -N` names its table, because without one tmux 3.8 crashes if the table `prefix` is gone. */
const keyQuestions = [
  ['show-options', '-gv', 'prefix'],
  ['show-options', '-gv', 'prefix2'],
  ['show-options', '-sqv', keptOption],
  ['list-commands', '-F', '=#{command_list_name}'],
  ['list-keys'],
  ['list-keys', '-N', '-P', '@', '-T', 'prefix'],
].map(line)

function failure(settings: readonly KeySetting[], errors: readonly string[]): AgencError {
  const unknown = errors.flatMap(text => /^unknown key: (.*)$/.exec(text)?.[1] ?? [])
  const setting = settings.find(({ key }) => unknown.includes(key))
  return setting
    ? keyError(setting, 'is not a key that tmux knows')
    : new AgencError(`tmux cannot list its keys: ${errors[0]}`, "Check that 'tmux list-keys' works.")
}

/** Reads the answers to `naming` and `keyQuestions`. */
function keysIn(lines: readonly string[], settings: readonly KeySetting[] = []): ServerKeys {
  const named = settings.map((setting, index) => ({ ...setting, name: parseBinding(lines[index]!)!.key }))
  const rest = lines.slice(settings.length)
  const noted = new Map(rest.flatMap(text => parseNote(text) ?? []).map(({ key, note }) => [key, note]))
  const listed = rest.flatMap(text => parseBinding(text) ?? []).filter(({ table }) => table === 'prefix')
  return {
    named,
    prefixes: rest.slice(0, 2),
    // Recognised by its form, not its position, because the user's tmux hooks may print lines too.
    kept: rest.map(parseKept).find(kept => kept !== null) ?? null,
    commandNames: new Set(rest.filter(text => text.startsWith('=')).map(text => text.slice(1))),
    bindings: new Map(
      listed.map(binding => [binding.key, { ...binding, note: noted.get(plainKey(binding.key)) ?? null }]),
    ),
  }
}
