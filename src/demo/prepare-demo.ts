import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import type { StreamOptions } from '../system/runner.ts'
import { agentLauncher } from './demo-claude.ts'
import type { DemoPlace } from './demo-paths.ts'
import type { DemoScript, TourKeys } from './demo-script.ts'
import type { Sample } from './samples.ts'

export interface Preparation {
  context: Context
  place: DemoPlace
  signal: AbortSignal
}

/** A home with settings, a Claude, and a library of repos. */
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

/** Keys that a program sends come faster than a finger's, and are to be taken for keys all the same. */
function tmuxConf({ prefix }: TourKeys): string {
  return `set -g prefix ${prefix}
bind ${prefix} send-prefix
set -g assume-paste-time 0
set -s escape-time 20
set -g status-style bg=colour236,fg=colour250
set -g status-left ''
`
}

async function addSample(preparation: Preparation, name: string, files: Sample): Promise<void> {
  const directory = join(preparation.place.sources, `${name}.git`)
  makePrivateDirectory(directory)
  for (const [file, text] of Object.entries(files)) write(join(directory, file), text)
  const git = (...args: string[]) => run(preparation, ['git', '-C', directory, ...args])
  await git('-c', 'init.defaultBranch=main', 'init', '--quiet')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'As it was on Monday')
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
