import { findClaude } from '../../claude/find-claude.ts'
import { refuseBypassAsRoot } from '../../claude/permission-mode.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { approveModesInWords } from '../../config/approve-modes.ts'
import { readConfig } from '../../config/read.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { checkMode } from '../../mission/check-mode.ts'
import { libraryRepo, refuseBadStart } from '../../mission/check-start.ts'
import type { DirectorySource } from '../../mission/directory.ts'
import { parseApprove } from '../../mission/effective-settings.ts'
import { describeMissions } from '../../mission/list.ts'
import { submodulesLeftOut } from '../../mission/repo-setup.ts'
import { tellHowToFollow } from '../../mission/tell-done.ts'
import { hasSubmodules } from '../../repo/start-point.ts'
import { type Destination, destinationFor, inFirstWindow, launchMission } from '../../wrapper/launch.ts'
import { headlessOptions } from './headless-options.ts'
import { windowOptions } from './window-options.ts'
import { chooseSource, createFrom, limitsIn, type NewInput } from './wished-mission.ts'

export default defineCommand<NewInput>({
  description: 'Start a mission: a copy of a repo with its own Claude. Prints the mission id.',
  arguments: [
    { name: 'repo', description: 'a repo in the library, or its path (default: pick from a list)' },
  ],
  options: [
    { flags: '--blank', description: 'start in an empty directory instead of a repo' },
    { flags: '--clone <mission>', description: "copy another mission's directory" },
    {
      flags: '--base <ref>',
      description: "start on this branch, tag or commit (default: the repo's default branch)",
    },
    {
      flags: '--branch <name>',
      description: 'name its branch, or continue this one if the remote has it',
    },
    {
      flags: '--pr <number>',
      description: 'start on the head of a pull request (or merge request) of the repo',
    },
    { flags: '--offline', description: 'start on what the library has, without fetching' },
    { flags: '--dir <path>', description: 'work in this directory itself, instead of a copy of a repo' },
    {
      flags: '--force',
      description: 'use --dir even if another mission works there, or for your home; --headless in plan mode',
    },
    { flags: '--prompt <text>', description: "the first prompt for Claude; '-' reads it from stdin" },
    { flags: '--name <text>', description: 'a name for the mission' },
    {
      flags: '--permission-mode <mode>',
      description: "what Claude may do without asking; see 'agenc help modes'",
    },
    { flags: '--approve <who>', description: `who answers permission requests: ${approveModesInWords}` },
    { flags: '--model <model>', description: 'the model that Claude uses' },
    {
      flags: '--may-answer',
      description: 'its Claude may answer the permission requests of missions that it starts',
    },
    ...windowOptions,
    ...headlessOptions,
    {
      flags: '--foreach <file>',
      description: "run a mission without a terminal per line, which has its prompt; '-' reads stdin",
    },
    {
      flags: '--max-running <number>',
      description: 'with --foreach: how many of them run at the same time (default: 4)',
    },
    { flags: '--here', description: 'use this window, which shows nothing else', hidden: true },
    {
      flags: '--form',
      description: 'ask for prompt, name, mode, approvals, model, base and branch',
      hidden: true,
    },
    jsonOption,
  ],
  examples: [
    'agenc mission new owner/name',
    'agenc mission new .',
    'agenc mission new owner/name --base v1.2 --branch fix/login',
    'agenc mission new --dir ../app-worktree',
    'agenc mission new --blank --prompt "write a haiku"',
    'agenc mission new owner/name --headless --prompt "fix the tests"',
    'agenc mission new owner/name --foreach prompts.txt --max-running 3',
  ],
  async run(context, given) {
    if (given.foreach !== undefined) {
      const { newForeach } = await import('./new-foreach.ts')
      return newForeach(context, given)
    }
    if (given.maxRunning !== undefined) throw usageError('--max-running has a meaning only with --foreach')
    refuseContradictions(given)
    if (isAboutHeadless(given)) await limitsIn(given)
    const input = given.form ? await filledIn(context, given) : given
    if (input.permissionMode !== undefined) await checkMode(context, input.permissionMode)
    const asked: Promise<Destination> = input.headless
      ? Promise.resolve({ kind: 'nowhere' })
      : destinationFor(context, input, { stdinIsPrompt: input.prompt === '-', here: input.here })
    const start = () => startMission(context, input, asked)
    if (!input.here) return start()
    const destination = await asked
    return destination.kind === 'this-window' ? inFirstWindow(context, destination.here, start) : start()
  },
})

function isOnRepo({ blank, clone, dir }: NewInput): boolean {
  return !blank && clone === undefined && dir === undefined
}

async function filledIn(context: Context, input: NewInput): Promise<NewInput> {
  if (!isInteractive(context)) throw usageError('Not a terminal.', 'Omit --form, and use the other options.')
  const { askForMission } = await import('../../mission/new-mission-form.ts')
  return {
    ...input,
    ...(await askForMission(context, { isOnRepo: isOnRepo(input) })),
  }
}

async function startMission(context: Context, input: NewInput, asked: Promise<Destination>): Promise<number> {
  const { claude } = await readConfig(context.paths)
  refuseBypassAsRoot(input.permissionMode ?? null, claude.args, context.env)
  const launch = async (mission: MissionRecord, db?: Database) =>
    launchMission(context, await asked, mission, { focus: input.focus, detach: input.detach, db })
  const { mission, isElsewhere } = await withStore(context, async db => {
    const isElsewhere = ['new-window', 'session', 'nowhere'].includes((await asked).kind)
    const isInNewWindow = isElsewhere && !input.headless
    // A new window has the session's PATH. Elsewhere a missing Claude is reported before anything is created.
    if (!isInNewWindow) findClaude(claude.command, context.env)
    const chosen = await chooseSource(context, db, input)
    const created = await createFrom(context, db, input, chosen)
    const { source } = chosen
    const printed = input.json ? (await describeMissions(context, db, [created]))[0] : null
    // With --wait, the output is the answer.
    const output = input.wait ? context.err : context.out
    if (!(input.wait && input.json)) output.line(printed ? JSON.stringify(printed) : created.id)
    if (isInNewWindow) sayWhatIsLeftOut(context, created, source)
    // The window starts while the store is closed. A mission in this terminal must not keep the store open for hours.
    if (isElsewhere) await launch(created, db)
    return { mission: created, isElsewhere }
  })
  if (!isElsewhere) return launch(mission)
  if (!input.wait) {
    if (input.headless) tellHowToFollow(context, mission.id)
    return 0
  }
  const { awaitAnswer } = await import('./await-answer.ts')
  return awaitAnswer(context, mission.id, input.json ?? false)
}

function isAboutHeadless({ headless, timeout, askTimeout, wait }: NewInput): boolean {
  return [headless, timeout, askTimeout, wait].some(value => value !== undefined)
}

/** The new window says it too, but the user may not look there. */
function sayWhatIsLeftOut(context: Context, { repo }: MissionRecord, source: DirectorySource): void {
  if (repo === null || source.kind !== 'repo' || source.isTrusted) return
  if (hasSubmodules(libraryRepo(context, repo))) context.err.line(submodulesLeftOut(repo))
}

function refuseContradictions(input: NewInput): void {
  const { repo, blank, clone, dir, force, approve } = input
  if ([repo, blank, clone, dir !== undefined].filter(Boolean).length > 1) {
    throw usageError(
      'a repo, --blank, --clone and --dir exclude each other',
      'Name one source for the mission.',
    )
  }
  if (force && dir === undefined && !input.headless)
    throw usageError('--force has a meaning only with --dir or --headless')
  if (input.headless) refuseWindow(input)
  if (approve !== undefined) parseApprove(approve)
  refuseBadStart(input, { isOnRepo: isOnRepo(input) })
}

function refuseWindow({ focus, detach, here, form, prompt }: NewInput): void {
  if (focus !== undefined || detach || here || form)
    throw usageError(
      '--headless and the options of a window exclude each other',
      'A mission without a terminal has no window. Omit --focus, --no-focus and --detach.',
    )
  if (prompt === undefined)
    throw usageError('a mission without a terminal needs a prompt', 'Add --prompt, or omit --headless.')
}
