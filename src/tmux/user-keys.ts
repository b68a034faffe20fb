import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../io/temporary-directory.ts'
import { findProgram } from '../system/find-program.ts'
import { isOurs } from './keys/binding.ts'
import { refuseImpossible } from './keys/key-settings.ts'
import { readKeys, type ServerKeys } from './keys/read-keys.ts'
import { tmuxOf } from './server.ts'
import { type Tmux, tmuxAt } from './tmux.ts'

export interface UserKey {
  /** The command that `prefix <key>` runs in the user's own tmux. Null if the key is free. */
  binding: string | null
  /** The user's prefix key, as tmux spells it. */
  prefix: string
}

/** Returns null if tmux does not answer. Throws for a key that cannot be bound. */
export function userKey(context: Context, key: string): UserKey | null {
  const setting = { setting: 'tmux.prefix_key', key }
  refuseImpossible(setting)
  if (findProgram('tmux', context.env) === null) return null
  const tmux = tmuxOf(context)
  if (tmux.ask(['list-sessions']).kind === 'failed') return null
  const keys = readKeys(tmux, [setting]) ?? onScratchServer(context, tmux => readKeys(tmux, [setting]))
  if (!keys) return null
  const name = keys.named[0]!.name
  return { binding: bindingOf(keys, name), prefix: keys.prefixes[0] ?? 'C-b' }
}

function bindingOf(keys: ServerKeys, name: string): string | null {
  if (isOurs(keys, name)) return keys.kept?.key === name ? (keys.kept.original?.command ?? null) : null
  return keys.bindings.get(name)?.command ?? null
}

/** The commands of a tmux.conf that concern keys. The others, such as plug-ins, are not run. */
const aboutKeys =
  /^(bind|bind-key|unbind|unbind-key)\s|^(set|set-option|setw|set-window-option)\s+(-\w+\s+)*prefix2?\s/

/** Runs `work` on a temporary server without sessions that has the key bindings of the user's tmux.conf. */
function onScratchServer<T>(context: Context, work: (tmux: Tmux) => T | null): T | null {
  const { exec, env, paths } = context
  const directory = makeTemporaryDirectoryIn(temporaryPlaces(paths.home), 'agenc-')
  const tmux = tmuxAt(exec, env, join(directory.path, 's'), { configFile: '/dev/null' })
  try {
    const started = tmux.ask(['start-server'], ['set-option', '-s', 'exit-empty', 'off'])
    if (started.kind !== 'ok') return null
    const commands = configFiles(env).flatMap(path => parsedCommands(tmux, path))
    const lines = commands.filter(command => aboutKeys.test(command))
    tmux.source(lines)
    return work(tmux)
  } finally {
    tmux.ask(['kill-server'])
    directory.remove()
  }
}

function configFiles(env: NodeJS.ProcessEnv): string[] {
  const home = env.HOME || homedir()
  const xdg = env.XDG_CONFIG_HOME || join(home, '.config')
  return ['/etc/tmux.conf', join(home, '.tmux.conf'), join(xdg, 'tmux', 'tmux.conf')].filter(existsSync)
}

/** `-n` parses without running; `-v` prints each command as `<path>:<line>: <command>`. */
function parsedCommands(tmux: Tmux, path: string): string[] {
  const answer = tmux.ask(['source-file', '-nqv', path])
  if (answer.kind !== 'ok') return []
  return answer.lines.map(line => line.replace(/^.*?:\d+: /, ''))
}
