import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { listEvents } from '../../db/events.ts'
import type { MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError, Cancelled, isCancelled, usageError } from '../../errors.ts'
import { baseBranch } from '../../git-work/base-branch.ts'
import { type GitHubCli, gitHubCli, type PullRequest } from '../../git-work/github-cli.ts'
import { readyToLand } from '../../git-work/landing.ts'
import { asFile, fromFile, type PullRequestText, textOf } from '../../git-work/pull-request-text.ts'
import { branchAtRemote, type Pushed, pushTarget, pushWork } from '../../git-work/push.ts'
import { explainFailure } from '../../io/explain-failure.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../../io/temporary-directory.ts'
import { editFile } from '../../io/text-editor.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionService } from '../../mission/open-service.ts'
import { interruptible } from '../../system/signals.ts'
import { withHelpOfClaude } from '../../wrapper/ask-claude.ts'
import { pushedJson, pushTimeout, tellPushed } from './push.ts'
import { pushOptions } from './push-options.ts'

interface Input {
  mission?: string
  draft?: boolean
  title?: string
  body?: string
  edit?: boolean
  base?: string
  as?: string
  forceWithLease?: boolean
  commit?: string
  ask?: boolean
  timeout?: string
  yes?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    "Push a mission's branch and open a pull request with GitHub's program gh. Title and text come from the mission's name, its first prompt and Claude's last message; on a terminal you edit them first. Without gh, the address where you can open it is printed.",
  arguments: [{ name: 'mission', description: "its name or id (the start is enough), or '.'" }],
  options: [
    { flags: '--draft', description: 'open it as a draft' },
    { flags: '--title <text>', description: "its title (default: the mission's name or first prompt)" },
    { flags: '--body <text>', description: "its text (default: the first prompt and Claude's last message)" },
    {
      flags: '--edit',
      description: 'edit title and text first (default: on a terminal, unless both are given)',
    },
    { flags: '--base <branch>', description: 'the branch to merge into (default: the base of the mission)' },
    ...pushOptions,
    { flags: '-y, --yes', description: 'do not open the editor' },
    quietOption,
    jsonOption,
  ],
  examples: [
    'agenc mission pr 3f2a',
    'agenc mission pr 3f2a --draft --yes',
    'agenc mission pr 3f2a --title "Fix the login" --body "Long names work."',
  ],
  async run(context, input) {
    if (input.edit && !isInteractive(context))
      throw usageError('--edit needs a terminal', 'Give the text with --title and --body.')
    if (input.title?.trim() === '')
      throw usageError('the title is empty', 'Omit --title to use the name of the mission.')
    const timeoutMs = pushTimeout(context, input.timeout)
    await withStore(context, async db => {
      const mission = await chooseMission(context, db, input.mission, { title: 'Open a pull request' })
      await interruptible(signal => pushAndOpen(context, db, mission, { ...input, timeoutMs, signal }))
    })
    return 0
  },
})

type Wish = Input & { timeoutMs: number; signal: AbortSignal }

async function pushAndOpen(
  context: Context,
  db: Database,
  mission: MissionRecord,
  wish: Wish,
): Promise<void> {
  const work = await withHelpOfClaude(context, db, mission, wish.ask, now =>
    readyToLand(context, db, now, { commit: wish.commit }),
  )
  const { url } = pushTarget(context, db, mission.repo!, work.repo.library)
  const branch = await branchAtRemote(work.repo, mission, work, wish.as)
  // Without one, the server chooses the branch to merge into.
  const base = wish.base ?? (await baseBranch(work.repo, mission))
  if (branch === base)
    throw usageError(`${branch} cannot be merged into itself`, 'Push to another branch with --as <name>.')
  const gh = gitHubCli(context, url, wish.signal)
  const known = gh && (await gh.find(branch))
  if (gh !== null && known === null && startedOnPullRequest(db, mission))
    context.err.line(
      `It started on #${mission.pr_number}, which stays as it is. This opens another pull request.`,
    )
  // Comes before the push: a user who cancels here has changed nothing.
  const text = gh === null || known ? null : await textFor(context, mission, wish)
  const pushed = await pushWork(context, db, mission, work, { ...wish, as: branch })
  if (!wish.json) tellPushed(context, pushed)
  if (gh === null || text === null) return tell(context, db, mission, pushed, known ?? null, wish)
  const opened = await open(
    context,
    gh,
    { ...text, head: branch, base, isDraft: wish.draft ?? false },
    pushed,
    wish,
  )
  tell(context, db, mission, pushed, opened, wish, true)
}

/** The number is not that of a pull request of its own. */
function startedOnPullRequest(db: Database, { id, pr_number }: MissionRecord): boolean {
  return pr_number !== null && !listEvents(db, id).some(({ kind }) => kind === openedEvent)
}

const openedEvent = 'pr'

/** The push has happened, so a failure says where the user can go on. */
async function open(
  context: Context,
  gh: GitHubCli,
  request: Parameters<GitHubCli['create']>[0],
  pushed: Pushed,
  { json }: Wish,
): Promise<PullRequest> {
  try {
    return await gh.create(request)
  } catch (error) {
    if (isCancelled(error)) {
      context.err.line(
        'agenc: interrupted. The branch is pushed; whether the pull request was opened is not known.',
      )
      throw error
    }
    const { pullRequestUrl } = pushed
    if (pullRequestUrl && !json) context.out.line(pullRequestUrl)
    const { message } = explainFailure(error, context.paths.home)
    throw new AgencError(
      message,
      `The branch is pushed. Open the pull request at ${pullRequestUrl ?? 'the server'}`,
    )
  }
}

function tell(
  context: Context,
  db: Database,
  mission: MissionRecord,
  pushed: Pushed,
  request: PullRequest | null,
  { json }: Wish,
  isNew = false,
): void {
  if (request !== null) {
    const { number, url } = request
    missionService(context, db).change(mission.id, { pr_number: number, pr_url: url }, [
      openedEvent,
      { number, url },
    ])
  }
  if (json) {
    const { number = null, url = null } = request ?? {}
    const about = { id: mission.id, ...pushedJson(pushed), opened: isNew, pr: request && { number, url } }
    context.out.line(JSON.stringify(about))
    return
  }
  if (request !== null) {
    context.err.line(isNew ? `Opened #${request.number}.` : `There is #${request.number} already.`)
    context.out.line(request.url)
  } else if (pushed.pullRequestUrl !== null) {
    context.err.line('Open the pull request here:')
    context.out.line(pushed.pullRequestUrl)
  } else context.err.line('agenc knows no page for pull requests on this server.')
}

/** Throws `Cancelled` if the user empties the file. */
async function textFor(context: Context, mission: MissionRecord, wish: Wish): Promise<PullRequestText> {
  const { title, body, yes, edit } = wish
  const proposed = textOf(mission)
  const text = { title: title ?? proposed.title, body: body ?? proposed.body }
  const isComplete = title !== undefined && body !== undefined
  if (!edit && (yes || isComplete || !isInteractive(context))) return text
  const place = makeTemporaryDirectoryIn(temporaryPlaces(context.paths.home), 'agenc-pr-')
  try {
    const file = join(place.path, 'pull-request.md')
    writeFileSync(file, asFile(text), { mode: 0o600 })
    context.err.line('The first line is the title. An empty file cancels.')
    await editFile(context, file, 'Nothing was pushed.')
    const edited = fromFile(readFileSync(file, 'utf8'))
    if (edited !== null) return edited
  } finally {
    place.remove()
  }
  context.err.line('The text is empty. Nothing was pushed.')
  throw new Cancelled()
}
