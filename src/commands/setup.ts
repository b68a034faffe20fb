import { defineCommand, jsonOption } from '../cli/command.ts'
import { install, installationFor } from '../cli/completion/install-script.ts'
import { changeSettings } from '../config/change-settings.ts'
import { loadConfig } from '../config/config-file.ts'
import { type Context, withChanges } from '../context.ts'
import { listRepos } from '../db/repos.ts'
import { readStore } from '../db/with-store.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { silentOutput } from '../io/output.ts'
import { cleanLines, wrap } from '../io/text.ts'
import type { Answers, Flags } from '../setup/answers.ts'
import { changesFor } from '../setup/apply-answers.ts'
import { collectAnswers } from '../setup/collect-facts.ts'
import { nextSteps, sayWelcome } from '../setup/texts.ts'
import { tmuxOf } from '../tmux/server.ts'
import { askForSession } from '../tmux/session.ts'
import { userKey } from '../tmux/user-keys.ts'
import repoAdd from './repo/add.ts'
import injectConfig from './tmux/inject-config.ts'

interface Input extends Flags {
  yes?: boolean
  welcome?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Choose editor, permission mode, keys and a first repo. Without a terminal, or with --yes, every question gets its default, which is what is set already.',
  options: [
    { flags: '--editor <editor>', description: 'opened by `mission open`: auto, zed, vscode …' },
    { flags: '--permission-mode <mode>', description: 'what Claude may do unasked' },
    { flags: '--approve <who>', description: 'ask, rules or all: who answers permission requests' },
    { flags: '--hotkey <key>', description: 'the key after the tmux prefix' },
    { flags: '--notify <how>', description: 'message, bell, both or none' },
    { flags: '--repo <repo>', description: 'add this repo to the library' },
    { flags: '--no-repo', description: 'add none' },
    { flags: '--trust', description: 'its filters and setup may run, and Claude works in it unasked' },
    { flags: '--no-trust', description: 'nothing of it runs' },
    { flags: '--completion <shell>', description: 'install completion for bash, zsh or fish' },
    { flags: '--no-completion', description: 'do not' },
    { flags: '-y, --yes', description: 'ask nothing' },
    { flags: '--welcome', description: 'for the first time', hidden: true },
    jsonOption,
  ],
  examples: ['agenc setup', 'agenc setup --yes --editor zed --repo owner/name --completion zsh'],
  async run(context, input) {
    if (input.welcome) sayWelcome(context)
    const config = loadConfig(context.paths.config)
    const repos = await countRepos(context)
    const answers = await collectAnswers(context, config, input, repos === 0)
    await changeSettings(context.paths.config, changesFor(answers, config))
    const bound = await attempt(context, () => bindAgain(context))
    const completion = await attempt(context, () => installCompletion(context, answers))
    const repo = await attempt(context, () => addRepo(context, answers))
    if (input.json) context.out.line(JSON.stringify(resultJson(context, answers, { completion, repo })))
    else await sayNext(context)
    return bound === null && completion === null && repo === null ? ExitCode.ok : ExitCode.failed
  },
})

function countRepos(context: Context): Promise<number> {
  return readStore(context, db => (db ? listRepos(db).length : 0))
}

/** A session that is there already gets the new key at once. */
function bindAgain(context: Context): void {
  if (askForSession(tmuxOf(context)).kind === 'there') injectConfig.run(context, {})
}

function installCompletion(context: Context, { completion: shell }: Answers): void {
  if (shell === null) return
  const place = installationFor(context, shell)
  install(place)
  context.err.line(`Wrote ${place.path}`)
  for (const line of wrap(place.next, context.err.columns)) context.err.line(line)
}

async function addRepo(context: Context, { repo, trust }: Answers): Promise<void> {
  if (repo === null) return
  await repoAdd.run(withChanges(context, { out: silentOutput(context.out) }), { repo, trust: trust ?? false })
}

/** Settings are written by now: what fails is said, and the rest goes on. null: it did not. */
async function attempt(context: Context, work: () => unknown): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!isAgencError(error)) throw error
    context.err.line(`agenc: ${cleanLines(error.message)}`)
    if (error.hint) context.err.line(cleanLines(error.hint))
    return error.message
  }
}

async function sayNext(context: Context): Promise<void> {
  const { err, paths } = context
  const { tmux } = loadConfig(paths.config)
  const prefix = userKey(context, tmux.prefix_key)?.prefix ?? 'C-b'
  err.line()
  err.line(err.paint('bold', 'Done. What to press next:'))
  for (const line of nextSteps(context, tmux, prefix, (await countRepos(context)) > 0)) err.line(line)
}

/** What went wrong, each null where it did not. */
interface Failures {
  completion: string | null
  repo: string | null
}

function resultJson(context: Context, answers: Answers, failures: Failures): object {
  return {
    config: context.paths.config,
    editor: answers.editor,
    permission_mode: answers.permissionMode,
    approve: answers.approve,
    hotkey: answers.hotkey,
    notify: answers.notify,
    repo: answers.repo,
    repo_error: failures.repo,
    completion: answers.completion,
    completion_error: failures.completion,
  }
}
