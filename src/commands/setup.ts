import { defineCommand, jsonOption } from '../cli/command.ts'
import { install, installationFor } from '../cli/completion/shell-scripts.ts'
import { approveModesInWords } from '../config/approve-modes.ts'
import { readConfig } from '../config/read.ts'
import { changeConfig } from '../config/write.ts'
import { type Context, isInteractive } from '../context.ts'
import { listRepos } from '../db/repos.ts'
import { readStore, withStore } from '../db/with-store.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { cleanLines, wrap } from '../io/text.ts'
import { addRepo, notesOnAdded } from '../repo/catalogue.ts'
import { sourceOf } from '../repo/repo-source.ts'
import type { Answers, Flags } from '../setup/answers.ts'
import { changesFor } from '../setup/answers.ts'
import { collectAnswers } from '../setup/collect-answers.ts'
import { nextSteps, sayWelcome } from '../setup/texts.ts'
import { tmuxOf } from '../tmux/server.ts'
import { askForSession } from '../tmux/session.ts'
import { userKey } from '../tmux/user-keys.ts'
import attach from './tmux/attach.ts'
import injectConfig from './tmux/inject-config.ts'

interface Input extends Flags {
  yes?: boolean
  welcome?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Choose editor, permission mode, keys and a first repo. Without a terminal, or with --yes, every question gets its default, which is the current setting.',
  options: [
    { flags: '--editor <editor>', description: 'the editor that `mission open` starts: auto, zed, vscode …' },
    { flags: '--permission-mode <mode>', description: 'what Claude may do without asking' },
    { flags: '--approve <who>', description: `who answers permission requests: ${approveModesInWords}` },
    { flags: '--hotkey <key>', description: 'the key after the tmux prefix' },
    { flags: '--notify <how>', description: 'how to notify you: message, bell, both or none' },
    { flags: '--repo <repo>', description: 'add this repo to the library' },
    { flags: '--no-repo', description: 'add no repo' },
    {
      flags: '--trust',
      description: 'fetch its submodules, let its filters and setup run; Claude skips its trust question',
    },
    { flags: '--no-trust', description: 'run nothing from the repo' },
    { flags: '--completion <shell>', description: 'install completion for bash, zsh or fish' },
    { flags: '--no-completion', description: 'do not install completion' },
    { flags: '-y, --yes', description: 'ask nothing; use the defaults' },
    { flags: '--welcome', description: 'greet a new user', hidden: true },
    jsonOption,
  ],
  examples: ['agenc setup', 'agenc setup --yes --editor zed --repo owner/name --completion zsh'],
  async run(context, input) {
    if (input.welcome) sayWelcome(context)
    const config = await readConfig(context.paths)
    const repos = await countRepos(context)
    const answers = await collectAnswers(context, config, input, repos === 0)
    await changeConfig(context.paths, changesFor(answers, config), { create: true })
    const bound = await attempt(context, () => bindAgain(context))
    const completion = await attempt(context, () => installCompletion(context, answers))
    const repo = await attempt(context, () => addAnsweredRepo(context, answers))
    if (input.json) context.out.line(JSON.stringify(resultJson(context, answers, { completion, repo })))
    else await sayNext(context)
    const isDone = bound === null && completion === null && repo === null
    // A new user typed only 'agenc', which leads to the session.
    if (input.welcome && isDone && isInteractive(context)) return attach.run(context, {})
    return isDone ? ExitCode.ok : ExitCode.failed
  },
})

function countRepos(context: Context): Promise<number> {
  return readStore(context, db => (db ? listRepos(db).length : 0))
}

/** Binds the new key in a session that is already running. */
async function bindAgain(context: Context): Promise<void> {
  if (askForSession(tmuxOf(context)).kind === 'there') await injectConfig.run(context, {})
}

function installCompletion(context: Context, { completion: shell }: Answers): void {
  if (shell === null) return
  const place = installationFor(context, shell)
  install(place)
  context.err.line(`Wrote ${place.path}`)
  for (const line of wrap(place.next, context.err.columns)) context.err.line(line)
}

async function addAnsweredRepo(context: Context, { repo, trust }: Answers): Promise<void> {
  if (repo === null) return
  const source = sourceOf(context, repo, context.cwd)
  const answer = { trust: trust ?? false, askTrust: async () => null }
  const added = await withStore(context, db => addRepo(context, db, source, answer))
  for (const note of notesOnAdded(added)) context.err.line(note)
}

/** The settings are already written, so a later failure is reported and the next step runs. Returns the error or null. */
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
  const { tmux } = await readConfig(paths)
  const prefix = userKey(context, tmux.prefix_key)?.prefix ?? 'C-b'
  err.line()
  err.line(err.paint('bold', 'Done. Next steps:'))
  for (const line of nextSteps(context, tmux, prefix, (await countRepos(context)) > 0)) err.line(line)
}

/** The error of each step, or null if it worked. */
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
