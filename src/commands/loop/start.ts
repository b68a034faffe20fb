import { findClaude } from '../../claude/find-claude.ts'
import { refuseBypassAsRoot } from '../../claude/permission-mode.ts'
import { isSlashCommand, readyToSend, whyNotSendable } from '../../claude/typed-prompt.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { approveModesInWords } from '../../config/approve-modes.ts'
import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import type { LoopWish } from '../../db/loops.ts'
import { listMissions, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { listRepos } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { isAgencError, usageError } from '../../errors.ts'
import { parseDuration } from '../../io/duration.ts'
import { cleanText } from '../../io/text.ts'
import { describeLoops } from '../../loop/find-loop.ts'
import { shortLoopId } from '../../loop/loop-json.ts'
import { refuseLoop } from '../../loop/refuse-loop.ts'
import { startLoop } from '../../loop/start-runner.ts'
import { checkMode } from '../../mission/check-mode.ts'
import { effectiveMode, parseApprove } from '../../mission/effective-settings.ts'
import { firstPrompt } from '../../mission/first-prompt.ts'
import { modeOfNew, refusePlanMode } from '../../mission/headless-wish.ts'
import { resolveMission } from '../../mission/resolve-mission.ts'
import { refuseUnwatchedStart } from '../../mission/start-limits.ts'
import { tell } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { resolveRepo } from '../../repo/choose-repo.ts'
import { looksLikePath } from '../../repo/reference.ts'
import { chooseSource, createFrom } from '../mission/wished-mission.ts'
import { parseMax } from './parse-max.ts'

interface Input {
  target: string
  command?: string[]
  prompt?: string
  until?: string
  permissionMode?: string
  approve?: string
  model?: string
  name?: string
  max?: string
  timeout?: string
  checkTimeout?: string
  fresh?: boolean
  window?: boolean
  force?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Let Claude work, run a command, and let Claude work again with what failed, until the command succeeds. Goes on without this terminal. Prints the id of the loop.',
  arguments: [
    {
      name: 'target',
      description: 'a repo, for a new mission without a window, or a mission',
      required: true,
    },
    { name: 'command', description: "after '--': the check as a program and its arguments", variadic: true },
  ],
  options: [
    { flags: '--prompt <text>', description: "the prompt of each round; '-' reads it from stdin" },
    {
      flags: '--until <command>',
      description: "the check: a shell command, run in the mission's directory; exit code 0 ends the loop",
    },
    {
      flags: '--permission-mode <mode>',
      description: "what Claude may do without asking (default: as configured); see 'agenc help modes'",
    },
    { flags: '--approve <who>', description: `who answers permission requests: ${approveModesInWords}` },
    { flags: '--model <model>', description: 'the model that Claude uses' },
    { flags: '--name <text>', description: 'a name for the new mission' },
    { flags: '--max <rounds>', description: 'the most rounds (default: 20)' },
    { flags: '--timeout <duration>', description: 'the longest time (default: 4h)' },
    {
      flags: '--check-timeout <duration>',
      description: 'the longest time of one check; then it has failed (default: 30m)',
    },
    { flags: '--fresh', description: 'begin a new conversation with the same prompt in each round' },
    { flags: '--window', description: 'run the mission in a window of the agenc session' },
    {
      flags: '--force',
      description: 'also in plan mode, and run a first round even if the check succeeds already',
    },
    jsonOption,
  ],
  examples: [
    'agenc loop start owner/name --prompt "fix the tests" --until "npm test"',
    'agenc loop start 3f2a --prompt "fix the style" --max 5 -- npm run lint',
  ],
  async run(context, input) {
    const wish = wishFrom(input)
    if (input.permissionMode !== undefined) await checkMode(context, input.permissionMode)
    const { claude } = await readConfig(context.paths)
    refuseBypassAsRoot(input.permissionMode ?? null, claude.args, context.env)
    if (!wish.has_window) findClaude(claude.command, context.env)
    await withStore(context, async db => {
      const mission = await chooseMission(context, db, input)
      const loop = await startLoop(context, db, mission.id, wish)
      context.out.line(input.json ? JSON.stringify(describeLoops(context, db, [loop])[0]) : loop.id)
      tell(context, `Follow it with: agenc loop log --follow ${shortLoopId(loop.id)}`)
    })
    return 0
  },
})

const usualMax = 20
const usualTimeoutMs = 4 * 3_600_000
const usualCheckTimeoutMs = 30 * 60_000

function wishFrom(input: Input): LoopWish {
  const { command = [], until, max, timeout, checkTimeout } = input
  if ((until === undefined) === (command.length === 0))
    throw usageError(
      until === undefined ? 'there is no check' : '--until and a command after -- exclude each other',
      'Give one command that succeeds when the work is done: --until "npm test"',
    )
  if (until?.trim() === '') throw usageError('the check is empty', 'Give a command: --until "npm test"')
  const given = firstPrompt(input.prompt)
  if (given === null) throw usageError('there is no prompt', 'Add --prompt.')
  const prompt = readyToSend(given)
  if (isSlashCommand(prompt))
    throw usageError('the prompt begins with /, so Claude takes it for a command', 'Begin it with a word.')
  const problem = whyNotSendable(prompt, false)
  if (problem !== null) throw usageError(`--prompt: ${problem[0]}`, problem[1])
  if (input.approve !== undefined) parseApprove(input.approve)
  return {
    prompt,
    until: until ?? command,
    max: max === undefined ? usualMax : parseMax(max),
    timeout_ms: timeout === undefined ? usualTimeoutMs : parseDuration(timeout, '--timeout'),
    check_timeout_ms:
      checkTimeout === undefined ? usualCheckTimeoutMs : parseDuration(checkTimeout, '--check-timeout'),
    is_fresh: input.fresh ?? false,
    has_window: input.window ?? false,
    is_forced: input.force ?? false,
  }
}

/** The mission that the user named, or a new one on the repo that the user named. */
async function chooseMission(context: Context, db: Database, input: Input): Promise<MissionRecord> {
  const known = namedMission(context, db, input.target)
  if (known === null) return newMission(context, db, input)
  const stray = (['permissionMode', 'approve', 'model', 'name'] as const).find(
    key => input[key] !== undefined,
  )
  if (stray !== undefined)
    throw usageError(
      `${shortId(known.id)} is a mission already, so its settings are not changed here`,
      `Change them with: agenc mission set ${shortId(known.id)}`,
    )
  await refuseLoop(context, db, known)
  const { mode } = effectiveMode(known, await readConfig(context.paths))
  refusePlanMode(known.reported_permission_mode ?? mode, input.force ?? false)
  return known
}

/** Returns null if the word names a repo. */
function namedMission(context: Context, db: Database, word: string): MissionRecord | null {
  const missions = listMissions(db, { archived: true })
  const repos = listRepos(db).map(({ id }) => id)
  const mission = found(() => resolveMission(word, missions, context.env))
  if (looksLikePath(word)) return word === '.' ? mission : null
  const repo = found(() => resolveRepo(word, repos))
  if (mission !== null && repo !== null)
    throw usageError(
      `${JSON.stringify(cleanText(word))} is the name of a mission and of a repo`,
      `Name the mission by its id (${shortId(mission.id)}), or the repo in full (${repo}).`,
    )
  if (mission === null && repo === null)
    throw usageError(
      `no repo and no mission ${JSON.stringify(cleanText(word))}`,
      "'agenc repo ls' and 'agenc mission ls' list them.",
    )
  return mission
}

function found<T>(look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if (isAgencError(error)) return null
    throw error
  }
}

async function newMission(context: Context, db: Database, input: Input): Promise<MissionRecord> {
  const { target, name, permissionMode, approve, model, force, window } = input
  const wish = { repo: target, name, permissionMode, approve, model, force, headless: !window }
  const chosen = await chooseSource(context, db, wish)
  const config = await readConfig(context.paths)
  refusePlanMode(modeOfNew(permissionMode ?? null, chosen.repo, config), force ?? false)
  refuseUnwatchedStart(context, db, config)
  return createFrom(context, db, wish, chosen)
}
