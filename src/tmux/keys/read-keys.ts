import { AgencError } from '../../errors.ts'
import { type KeyServer, source } from '../source-script.ts'
import { bindCommand, line } from '../tmux-script.ts'
import { type Kept, keptOption, parseKept } from './kept-binding.ts'
import { type KeySetting, keyError, type NamedKey } from './key-settings.ts'
import { type Listed, parseBinding, parseNote, plainKey } from './list-keys-output.ts'

/** What one call tells about the keys of a server. */
export interface ServerKeys {
  /** The settings' keys by tmux's own names, in the same order. */
  named: NamedKey[]
  /** The user's prefix keys. */
  prefixes: string[]
  kept: Kept | null
  /** The table `prefix`, by key. */
  bindings: ReadonlyMap<string, Listed & { note: string | null }>
  commandNames: ReadonlySet<string>
}

/** A table that nobody opens. Of this process, since two may be at it at once. */
export const scratchTable = `agenc-scratch-${process.pid}`

/** null: there is no server. */
export function readKeys(server: KeyServer, settings: readonly KeySetting[]): ServerKeys | null {
  const answer = source(server, [...settings.flatMap(naming), ...keyQuestions])
  if (answer === null) return null
  const errors = answer.errors.filter(isKeyProblem)
  if (errors.length > 0) throw failure(settings, errors)
  return keysIn(answer.lines, settings)
}

/** A user may have removed every binding after the prefix, and the table with them. */
export function isKeyProblem(error: string): boolean {
  return error !== "table prefix doesn't exist"
}

/** Bound for a moment, a key is listed under tmux's own name for it. */
const naming = ({ key }: KeySetting): string[] => [
  bindCommand({ table: scratchTable, key }, ['detach-client']),
  line(['list-keys', '-T', scratchTable]),
  line(['unbind-key', '-a', '-q', '-T', scratchTable]),
]

/** The notes only with the table named: without, tmux 3.8 goes down where that table is gone. */
export const keyQuestions = [
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
    : new AgencError(`tmux does not tell its keys: ${errors[0]}`, "Does 'tmux list-keys' work?")
}

/** In the answers to what the settings' keys are named, and to the questions. */
export function keysIn(lines: readonly string[], settings: readonly KeySetting[] = []): ServerKeys {
  const named = settings.map((setting, index) => ({ ...setting, name: parseBinding(lines[index]!)!.key }))
  const rest = lines.slice(settings.length)
  const noted = new Map(rest.flatMap(text => parseNote(text) ?? []).map(({ key, note }) => [key, note]))
  const listed = rest.flatMap(text => parseBinding(text) ?? []).filter(({ table }) => table === 'prefix')
  return {
    named,
    prefixes: rest.slice(0, 2),
    // Not by its place: a hook of the user's own may print as well.
    kept: rest.map(parseKept).find(kept => kept !== null) ?? null,
    commandNames: new Set(rest.filter(text => text.startsWith('=')).map(text => text.slice(1))),
    bindings: new Map(
      listed.map(binding => [binding.key, { ...binding, note: noted.get(plainKey(binding.key)) ?? null }]),
    ),
  }
}
