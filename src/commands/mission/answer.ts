import { requestSummary } from '../../approvals/request-summary.ts'
import { isForTheUser } from '../../approvals/tool-input.ts'
import { dialogTools } from '../../claude/hook-report.ts'
import { claudeMode } from '../../claude/permission-mode.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { PendingRequest } from '../../db/approvals.ts'
import { listMissions, type MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { cleanText } from '../../io/text.ts'
import { callingMission } from '../../mission/calling-mission.ts'
import { modesOfClaude } from '../../mission/check-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { describeMissions } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { shortId } from '../../mission-id.ts'
import { deliverAnswer } from '../../wrapper/deliver-answer.ts'

interface Input {
  mission: string
  decision: string
  mode?: string
  message?: string
  request?: string
  json?: boolean
}

const longestMessage = 2_000

export default defineCommand<Input>({
  description:
    'Answer a permission request of a mission. If you answer in its own dialog first, that answer counts.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.'", required: true },
    { name: 'decision', description: 'allow or deny', required: true },
  ],
  options: [
    { flags: '--mode <mode>', description: 'with allow: also switch to this permission mode' },
    { flags: '--message <text>', description: 'with deny: a message for Claude' },
    { flags: '--request <id>', description: 'the request to answer (default: the oldest)' },
    jsonOption,
  ],
  examples: [
    'agenc mission answer 3f2a allow',
    'agenc mission answer 3f2a deny --message "use the staging host"',
  ],
  async run(context, input) {
    await refuseContradictions(context, input)
    const mission = await readStore(context, async db => {
      const record = await chooseMission(context, db, input.mission)
      refuseAgent(callingMission(context, listMissions(db!, { archived: true })), record)
      return (await describeMissions(context, db!, [record]))[0]!
    })
    const request = requestOf(mission, input.request)
    const stored = await deliverAnswer(context, mission.id, Number(request.id), {
      allow: input.decision === 'allow',
      mode: input.mode && claudeMode(input.mode),
      message: input.message,
    })
    if (stored?.decided_by !== 'answer') throw tooLate(mission)
    if (stored.decision !== input.decision) throw answeredOtherwise(mission, stored.decision)
    if (input.json) context.out.line(JSON.stringify({ ...request, decision: input.decision, by: 'answer' }))
    else context.err.line(`${answered(input.decision)}: ${describe(request, mission)}`)
    return 0
  },
})

async function refuseContradictions(context: Context, { decision, mode, message }: Input): Promise<void> {
  if (decision !== 'allow' && decision !== 'deny')
    throw usageError(`${JSON.stringify(decision)} is not an answer`, 'Answer allow or deny.')
  if (mode !== undefined && decision === 'deny')
    throw usageError('--mode works only with allow', 'Omit --mode to deny the request.')
  if (message !== undefined && decision === 'allow')
    throw usageError('--message works only with deny', 'Omit --message to allow the request.')
  if ((message ?? '').length > longestMessage)
    throw usageError('the message is too long', `Use at most ${longestMessage} characters.`)
  if (mode !== undefined) refuseMode(await modesOfClaude(context), claudeMode(mode))
}

/** The request of an agent is for a person, or for another agent that a person has allowed to answer. */
function refuseAgent(caller: MissionRecord | null, { id, parent_id }: MissionRecord): void {
  if (caller === null || (caller.may_answer === 1 && parent_id === caller.id)) return
  if (caller.id === id)
    throw new AgencError('a mission cannot answer its own permission requests', 'Leave it to the user.')
  if (parent_id !== caller.id)
    throw new AgencError(
      `${shortId(caller.id)} cannot answer for ${shortId(id)}, which it has not started`,
      'Leave it to the user.',
    )
  throw new AgencError(
    `${shortId(caller.id)} may not answer for the missions that it starts`,
    "The user can allow that with 'agenc mission new --may-answer'.",
  )
}

/** Claude ignores an answer with a mode that it does not accept. */
function refuseMode(listed: string[] | null, mode: string): void {
  if (mode === 'bypassPermissions')
    throw usageError(
      'an answer cannot switch to bypassPermissions',
      "Use 'agenc mission set --permission-mode bypassPermissions --restart'.",
    )
  if (listed !== null && !listed.includes(mode))
    throw usageError(
      `this Claude does not know the permission mode ${JSON.stringify(mode)}`,
      `Claude lists ${listed.join(', ')}.`,
    )
}

/** Returns the named request, or the oldest if none is named. */
function requestOf(mission: MissionJson, id: string | undefined): PendingRequest {
  const { pending } = mission
  const request = id === undefined ? pending[0] : pending.find(candidate => candidate.id === id)
  if (!request && id !== undefined && pending.length > 0)
    throw new AgencError(`${mission.short_id} has no pending request ${id}`, listing(mission))
  if (!request) throw nothingPending(mission)
  if (isForTheUser(request.tool)) {
    const kind = dialogTools[request.tool] === 'plan' ? 'Plans' : 'Questions'
    throw new AgencError(`${kind} must be answered in the window: ${focusCommand(mission)}`)
  }
  return request
}

function nothingPending(mission: MissionJson): AgencError {
  if (mission.state !== 'waiting')
    return new AgencError(
      `${mission.short_id} has no open request`,
      "Run 'agenc mission ls' to see which missions are waiting.",
    )
  return new AgencError(
    `${mission.short_id} is waiting for you (${mission.waiting_for}), which can only be answered in its window`,
    goThere(mission),
  )
}

function tooLate(mission: MissionJson): AgencError {
  return new AgencError(
    `the request of ${mission.short_id} has already been answered, or can only be answered in its window`,
    goThere(mission),
  )
}

/** Two commands have answered at the same time, and Claude got the answer of the other one. */
function answeredOtherwise({ short_id }: MissionJson, decision: string): AgencError {
  return new AgencError(
    `another 'mission answer' was faster: the request of ${short_id} was ${answered(decision).toLowerCase()}`,
    "Run 'agenc approvals ls' to see the answers.",
  )
}

function focusCommand({ short_id }: MissionJson): string {
  return `agenc mission focus ${short_id}`
}

function goThere(mission: MissionJson): string {
  return `Go there with: ${focusCommand(mission)}`
}

function listing(mission: MissionJson): string {
  const lines = mission.pending.map(request => `  ${request.id}  ${describe(request, mission)}`)
  return ['Pending:', ...lines].join('\n')
}

function describe({ tool, input }: PendingRequest, { dir }: MissionJson): string {
  return cleanText(`${tool} ${requestSummary(tool, input, dir)}`)
}

function answered(decision: string): string {
  return decision === 'allow' ? 'Allowed' : 'Denied'
}
