import { AgencError } from '../../errors.ts'
import { type KeyServer, source } from '../source-script.ts'
import { bindCommand, line } from '../tmux-script.ts'
import { bindOriginal, bindOurs, isOurs, prove, repeatTime, unbind } from './binding.ts'
import { type Kept, keptOption } from './kept-binding.ts'
import { refuseConflicts, refuseImpossible } from './key-settings.ts'
import { type KeyBinding, tableName } from './key-table.ts'
import { readKeys, type ServerKeys } from './read-keys.ts'

/**
 * `prefix <key>` opens our table in the agenc session, and does what it did before in every other one.
 * Doing it again changes nothing.
 */
export function injectKeys(server: KeyServer, bindings: readonly KeyBinding[], prefixKey: string): void {
  const settings = [{ setting: 'tmux.prefix_key', key: prefixKey }, ...bindings]
  settings.forEach(refuseImpossible)
  const keys = readKeys(server, settings)
  if (keys === null) return
  const [prefix, ...own] = keys.named
  refuseConflicts(own, keys.prefixes)
  const kept = keep(keys, prefix!.name)
  if (kept.original && !isOurs(keys, kept.key)) prove(server, kept.key, kept.original, keys)
  apply(server, [
    ...(keys.kept && keys.kept.key !== kept.key ? putBack(keys, keys.kept) : []),
    bindOurs(kept, keys),
    repeatTime(kept.original?.repeat ? 0 : null),
    line(['set-option', '-s', keptOption, JSON.stringify(kept)]),
    line(['unbind-key', '-a', '-q', '-T', tableName]),
    ...bindings.map(({ key, note, command }) => bindCommand({ table: tableName, key, note }, command)),
  ])
}

/** Takes our keys away and puts the user's own back, where ours is still in its place. */
export function restoringScript(keys: ServerKeys): string[] {
  return [
    ...(keys.kept ? putBack(keys, keys.kept) : []),
    repeatTime(null),
    line(['set-option', '-su', keptOption]),
    line(['unbind-key', '-a', '-q', '-T', tableName]),
  ]
}

/** What a key is bound to now or, where that is ours, what was kept before. */
function keep(keys: ServerKeys, key: string): Kept {
  if (isOurs(keys, key)) return keys.kept!
  const found = keys.bindings.get(key)
  if (!found) return { key, original: null }
  return { key, original: { command: found.command, repeat: found.repeat, note: found.note } }
}

function putBack(keys: ServerKeys, { key, original }: Kept): string[] {
  if (!isOurs(keys, key)) return []
  return [original === null ? unbind(key) : bindOriginal('prefix', key, original, keys)]
}

function apply(server: KeyServer, script: readonly string[]): void {
  refuseErrors(source(server, script)?.errors ?? [])
}

export function refuseErrors([error]: readonly string[]): void {
  if (error === undefined) return
  throw new AgencError(`tmux does not take the keys: ${error}`, "Does 'tmux list-keys' work?")
}
