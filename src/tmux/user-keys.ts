import { existsSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { makeTemporaryDirectory } from '../io/temporary-directory.ts'
import { findProgram } from '../system/find-program.ts'
import { isOurs } from './keys/binding.ts'
import { refuseImpossible } from './keys/key-settings.ts'
import { readKeys, type ServerKeys } from './keys/read-keys.ts'
import { tmuxOf } from './server.ts'
import { type KeyServer, source } from './source-script.ts'
import { type Tmux, tmuxAt } from './tmux.ts'

export interface UserKey {
  /** What `prefix <key>` does in the user's own tmux; null: nothing. */
  binding: string | null
  /** The user's prefix, as tmux writes it. */
  prefix: string
}

/** null: tmux could not be asked. A key that cannot be bound is an error. */
export function userKey(context: Context, key: string): UserKey | null {
  const setting = { setting: 'tmux.prefix_key', key }
  refuseImpossible(setting)
  const { exec, env } = context
  if (findProgram('tmux', env) === null) return null
  const keys =
    readKeys({ exec, env, tmux: tmuxOf(context) }, [setting]) ??
    onScratchServer(context, server => readKeys(server, [setting]))
  if (!keys) return null
  const name = keys.named[0]!.name
  return { binding: bindingOf(keys, name), prefix: keys.prefixes[0] ?? 'C-b' }
}

function bindingOf(keys: ServerKeys, name: string): string | null {
  if (isOurs(keys, name)) return keys.kept?.key === name ? (keys.kept.original?.command ?? null) : null
  return keys.bindings.get(name)?.command ?? null
}

/** Commands of a tmux.conf that only tell of keys. The others, plug-ins among them, are not run. */
const aboutKeys =
  /^(bind|bind-key|unbind|unbind-key)\s|^(set|set-option|setw|set-window-option)\s+(-\w+\s+)*prefix2?\s/

/** A server without sessions on a socket of its own, which has read what the user's tmux.conf says about keys. */
function onScratchServer<T>(context: Context, work: (server: KeyServer) => T | null): T | null {
  const { exec, env } = context
  const directory = makeTemporaryDirectory(join(tmpdir(), 'agenc-'))
  const tmux = tmuxAt(exec, env, join(directory.path, 's'))
  try {
    const start = ['start-server', ';', 'set-option', '-s', 'exit-empty', 'off']
    const started = exec.capture('tmux', ['-f', '/dev/null', '-S', tmux.socket!, ...start], { env })
    if (started.exitCode !== 0) return null
    const commands = configFiles(env).flatMap(path => parsedCommands(tmux, path))
    const lines = commands.filter(command => aboutKeys.test(command))
    const server = { exec, env, tmux }
    source(server, lines)
    return work(server)
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

/** `-n` reads without running, `-v` shows what was read: `<path>:<line>: <command>`. */
function parsedCommands(tmux: Tmux, path: string): string[] {
  const answer = tmux.ask(['source-file', '-nqv', path])
  if (answer.kind !== 'ok') return []
  return answer.lines.map(line => line.replace(/^.*?:\d+: /, ''))
}
