import { configError } from '../../errors.ts'
import { sessionName, sessionTarget } from '../current-window.ts'
import type { Tmux } from '../tmux.ts'
import { bindText, block, line } from '../tmux-script.ts'
import { plainKey } from './key-settings.ts'
import { tableName } from './key-table.ts'
import {
  type Kept,
  type Original,
  parseBinding,
  readable,
  type ServerKeys,
  scratchTable,
} from './read-keys.ts'

const condition = `#{==:#{session_name},${sessionName}}`
const openTable = `switch-client -T ${tableName}`
/** The status line shows the keys of the open table, but tmux does not redraw it by itself. */
const open = `${openTable} ; refresh-client -S`

/** A binding is agenc's own only if it was recorded. The user may have bound the same command by hand. */
export function isOurs({ kept, bindings }: ServerKeys, key: string): boolean {
  const command = kept?.key === key ? bindings.get(key)?.command : undefined
  return command?.startsWith(`if-shell -F "${condition}" "${openTable}`) ?? false
}

/** Keeps the repeat flag and note of the user's binding, which the key still has in other sessions. */
export function bindOurs({ key, original }: Kept, { commandNames }: ServerKeys): string {
  const otherwise = original === null ? '' : block(readable(original.command, commandNames))
  const { repeat, note } = original ?? { repeat: false, note: 'Open the agenc keys' }
  return bindText(
    { table: 'prefix', key: plainKey(key), repeat, note },
    `if-shell -F '${condition}' '${open}' ${otherwise}`,
  )
}

export function bindOriginal(table: string, key: string, original: Original, keys: ServerKeys): string {
  const { repeat, note, command } = original
  return bindText({ table, key: plainKey(key), repeat, note }, readable(command, keys.commandNames))
}

export function unbind(key: string): string {
  return line(['unbind-key', '-T', 'prefix', '--', plainKey(key)])
}

/** With a repeatable prefix key, tmux waits only for repeatable keys, and agenc's keys would leak into the pane. */
export function repeatTime(value: 0 | null): string {
  const target = ['-q', '-t', `${sessionTarget}:`, 'repeat-time']
  return line(value === null ? ['set-option', '-u', ...target] : ['set-option', ...target, String(value)])
}

/** Throws if the binding could not be restored exactly. agenc never replaces such a binding. */
export function proveRestorable(tmux: Tmux, key: string, original: Original, keys: ServerKeys): void {
  const done = tmux.source([
    bindOriginal(scratchTable, key, original, keys),
    line(['list-keys', '-T', scratchTable]),
    line(['unbind-key', '-a', '-q', '-T', scratchTable]),
  ])
  const again = parseBinding(done?.lines[0] ?? '')
  if (again?.command === original.command && again.repeat === original.repeat) return
  throw configError(
    `tmux.prefix_key: ${JSON.stringify(plainKey(key))} has a binding that agenc could not restore exactly`,
    `Choose another key (agenc config set tmux.prefix_key <key>), or write the binding differently: ${original.command}`,
  )
}
