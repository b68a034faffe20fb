import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, withChanges } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import { quoteForShell } from '../io/shell-quote.ts'
import { pathsAt } from '../paths.ts'
import type { StreamOptions } from '../system/runner.ts'
import { createSession } from '../tmux/session.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import type { DemoPlace } from './demo-place.ts'
import type { DemoScript, Sample, TourKeys } from './tour.ts'

export interface Preparation {
  context: Context
  place: DemoPlace
  signal: AbortSignal
}

/** Creates a home with settings, a stand-in for Claude, and a library of repos. */
export async function prepare(preparation: Preparation, script: DemoScript): Promise<void> {
  const { context, place } = preparation
  write(place.tmuxConf, tmuxConf(script.keys))
  write(place.gitConfig, `[url "${place.sources}/"]\n  insteadOf = https://github.com/\n`)
  write(place.claude, agentLauncher(context, place.words), 0o700)
  for (const [name, text] of Object.entries(script.unprompted)) write(join(place.words, name), text)
  const settings = { claude: { command: place.claude, permission_mode: 'default' } }
  write(join(place.agencHome, 'config.json'), `${JSON.stringify(settings, null, 2)}\n`)
  for (const [name, files] of Object.entries(script.samples)) await addSample(preparation, name, files)
}

/** Keys sent by a program arrive so fast that tmux would take them for a paste; assume-paste-time 0 prevents that. */
function tmuxConf({ prefix }: TourKeys): string {
  return `set -g prefix ${prefix}
bind ${prefix} send-prefix
set -g assume-paste-time 0
set -s escape-time 20
`
}

async function addSample(preparation: Preparation, name: string, files: Sample): Promise<void> {
  const directory = join(preparation.place.sources, `${name}.git`)
  makePrivateDirectory(directory)
  for (const [file, text] of Object.entries(files)) write(join(directory, file), text)
  const git = (...args: string[]) => run(preparation, ['git', '-C', directory, ...args])
  await git('-c', 'init.defaultBranch=main', 'init', '--quiet')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'Initial commit')
  await run(preparation, [...preparation.context.self, 'repo', 'add', name, '--trust'])
}

export async function run(
  { context, place, signal }: Preparation,
  [file, ...args]: readonly string[],
  options: StreamOptions = {},
): Promise<string> {
  const done = await context.exec.stream(file!, args, { env: place.env, cwd: place.root, signal, ...options })
  if (signal.aborted) throw new Cancelled()
  if (done.exitCode === 0) return done.stdout
  const what = [file, ...args].slice(0, 4).join(' ')
  throw new AgencError(
    `the demo could not be set up: ${what}: ${done.stderr.trim() || `exit ${done.exitCode}`}`,
    "Run 'agenc doctor' to see what is missing.",
  )
}

function write(path: string, text: string, mode = 0o600): void {
  writeFileSync(path, text, { mode })
}

/**
 * The demo's Claude: the stand-in. Started without a prompt, so with a terminal as its stdin, it gets one from the tour: by
 * repo for a new conversation, and a common one for forks. A resumed conversation gets none.
 */
const script = `words=
case " $* " in
  *' --resume '*' --fork-session '*) [ -t 0 ] && words=fork ;;
  *' --resume '*) ;;
  *) [ -t 0 ] && words=$(git remote get-url origin 2>/dev/null) ;;
esac
words=\${words##*/}
words=$tour/\${words%.git}
if [ -f "$words" ]; then set -- "$@" -- "$(cat "$words")"; fi
exec "$node" "$agent" "$@"
`

export function agentLauncher({ self }: Pick<Context, 'self'>, wordsDirectory: string): string {
  const [node, program] = self
  const values = {
    node: node!,
    agent: join(program!, '..', '..', 'dist', 'stand-in.js'),
    tour: wordsDirectory,
  }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}\n`)
  return `#!/bin/sh\n${lines.join('')}${script}`
}

/** The demo's own server: the default server of its TMUX_TMPDIR. */
export function demoTmux({ exec }: Context, { env, tmuxSocket }: DemoPlace): Tmux {
  return tmuxAt(exec, env, tmuxSocket)
}

/** Creates the session as `agenc tmux attach` does, but with a given first mission in place of the picker. */
export async function openSession(preparation: Preparation, { first, others }: DemoScript): Promise<void> {
  const { context, place } = preparation
  const inPlace = withChanges(context, { env: place.env, paths: pathsAt(place.agencHome) })
  const command = [...context.self, 'mission', 'new', '--here', ...first]
  createSession(inPlace, demoTmux(context, place), { name: 'agenc', command })
  for (const args of others) await startMission(preparation, args)
}

/** Starts a mission as if typed in the session's window, which stays in front. */
export async function startMission(preparation: Preparation, args: readonly string[]): Promise<void> {
  const { context, place } = preparation
  const session = '#{socket_path},#{pid},#{s/[$]//:session_id}'
  const [TMUX] = demoTmux(context, place).tell(['display-message', '-p', '-t', '=agenc:', session])
  const env = { ...place.env, TMUX, AGENC_TMUX: '1' }
  await run(preparation, [...context.self, 'mission', 'new', '--no-focus', ...args], { env })
}
