import { AgencError } from '../../errors.ts'
import type { Tmux } from '../tmux.ts'
import { bindCommand, line } from '../tmux-script.ts'
import { bindOriginal, bindOurs, isOurs, proveRestorable, repeatTime, unbind } from './binding.ts'
import { refuseConflicts, refuseImpossible } from './key-settings.ts'
import { type KeyBinding, tableName } from './key-table.ts'
import { type Kept, keptOption, readKeys, type ServerKeys } from './read-keys.ts'

/**
 * Binds `prefix <key>`: in the agenc session it opens agenc's key table, in every other session it does what it did
 * before. Running it again changes nothing.
 */
export function injectKeys(tmux: Tmux, bindings: readonly KeyBinding[], prefixKey: string): void {
  const settings = [{ setting: 'tmux.prefix_key', key: prefixKey }, ...bindings]
  settings.forEach(refuseImpossible)
  const keys = readKeys(tmux, settings)
  if (keys === null) return
  const [prefix, ...own] = keys.named
  refuseConflicts(own, keys.prefixes)
  const kept = keep(keys, prefix!.name)
  if (kept.original && !isOurs(keys, kept.key)) proveRestorable(tmux, kept.key, kept.original, keys)
  apply(tmux, [
    ...(keys.kept && keys.kept.key !== kept.key ? putBack(keys, keys.kept) : []),
    bindOurs(kept, keys),
    repeatTime(kept.original?.repeat ? 0 : null),
    line(['set-option', '-s', keptOption, JSON.stringify(kept)]),
    line(['unbind-key', '-a', '-q', '-T', tableName]),
    ...bindings.map(({ key, note, command }) => bindCommand({ table: tableName, key, note }, command)),
  ])
}

/** Removes agenc's keys and restores the user's binding, unless agenc's own has been replaced since. */
export function restoringScript(keys: ServerKeys): string[] {
  return [
    ...(keys.kept ? putBack(keys, keys.kept) : []),
    repeatTime(null),
    line(['set-option', '-su', keptOption]),
    line(['unbind-key', '-a', '-q', '-T', tableName]),
  ]
}

/** The current binding of the key or, if that is agenc's own, the binding that it replaced. */
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

function apply(tmux: Tmux, script: readonly string[]): void {
  refuseErrors(tmux.source(script)?.errors ?? [])
}

export function refuseErrors([error]: readonly string[]): void {
  if (error === undefined) return
  throw new AgencError(`tmux refused the key bindings: ${error}`, "Check that 'tmux list-keys' works.")
}
