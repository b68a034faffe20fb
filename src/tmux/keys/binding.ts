import { configError } from '../../errors.ts'
import { sessionName, sessionTarget } from '../current-window.ts'
import { type KeyServer, source } from '../source-script.ts'
import { bindText, block, line } from '../tmux-script.ts'
import type { Kept, Original } from './kept-binding.ts'
import { tableName } from './key-table.ts'
import { parseBinding, plainKey, readable } from './list-keys-output.ts'
import { type ServerKeys, scratchTable } from './read-keys.ts'

const condition = `#{==:#{session_name},${sessionName}}`
const open = `switch-client -T ${tableName}`

/** A user may have bound the very same by hand: ours is only what was recorded. */
export function isOurs({ kept, bindings }: ServerKeys, key: string): boolean {
  const command = kept?.key === key ? bindings.get(key)?.command : undefined
  return command?.startsWith(`if-shell -F "${condition}" "${open}"`) ?? false
}

/** It repeats, and is noted, as the user's own: in other sessions it still is that. */
export function bindOurs({ key, original }: Kept, { commandNames }: ServerKeys): string {
  const otherwise = original === null ? '' : block(readable(original.command, commandNames))
  const { repeat, note } = original ?? { repeat: false, note: 'Open the keys of agenc' }
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

/** After a repeatable key tmux waits for repeatable ones only, and ours would leak into the pane. */
export function repeatTime(value: 0 | null): string {
  const target = ['-q', '-t', `${sessionTarget}:`, 'repeat-time']
  return line(value === null ? ['set-option', '-u', ...target] : ['set-option', ...target, String(value)])
}

/** A binding that would not come back exactly as it was is never touched. */
export function prove(server: KeyServer, key: string, original: Original, keys: ServerKeys): void {
  const done = source(server, [
    bindOriginal(scratchTable, key, original, keys),
    line(['list-keys', '-T', scratchTable]),
    line(['unbind-key', '-a', '-q', '-T', scratchTable]),
  ])
  const again = parseBinding(done?.lines[0] ?? '')
  if (again?.command === original.command && again.repeat === original.repeat) return
  throw configError(
    `tmux.prefix_key: ${JSON.stringify(plainKey(key))} has a binding that agenc could not put back exactly`,
    `Choose another key, agenc config set tmux.prefix_key <key>, or write it another way: ${original.command}`,
  )
}
