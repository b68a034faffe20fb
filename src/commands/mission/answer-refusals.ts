import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import type { Approval, PendingRequest } from '../../db/approvals.ts'
import type { MissionRecord, WaitingFor } from '../../db/missions.ts'
import { AgencError, usageError } from '../../errors.ts'
import { isModeWithin, rightsOf, tooWide } from '../../mission/agent-rights.ts'
import { answerCommands, requestWords } from '../../mission/how-to-answer.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { shortId } from '../../mission-id.ts'

/** The request of an agent is for a person, or for another agent that a person has allowed to answer. */
export function refuseAgent(caller: MissionRecord | null, { id, parent_id }: MissionRecord): void {
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

export async function refuseWiderMode(
  { paths }: Context,
  caller: MissionRecord,
  mode: string,
): Promise<void> {
  const own = rightsOf(caller, await readConfig(paths)).mode
  if (!isModeWithin(mode, own)) throw tooWide(caller, `the permission mode ${mode}`, own)
}

/** Claude ignores an answer with a mode that it does not accept. */
export function refuseMode(listed: string[] | null, mode: string): void {
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

/** Dialogs that no hook reports, so that only their window can answer them. */
const onlyInWindow: Record<WaitingFor, string> = {
  trust: 'asks whether you trust its directory',
  input: 'has a dialog open',
  permission: 'asks for permission',
  question: 'asks a question',
  plan: 'asks you to approve its plan',
}

export function nothingPending(mission: MissionJson, latest: Approval | undefined): AgencError {
  const { short_id, state, waiting_for } = mission
  if (state === 'waiting')
    return new AgencError(
      `${short_id} ${onlyInWindow[waiting_for ?? 'input']}, which can only be answered in its window`,
      goThere(mission),
    )
  const isByUser = latest?.decided_by === 'user'
  return new AgencError(
    `${short_id} has no open request${isByUser ? ': the last one was answered in its window' : ''}`,
    `Run 'agenc mission ls' to see which missions are waiting, and 'agenc approvals ls ${short_id}' for its earlier requests.`,
  )
}

/** Says why an answer was not taken. `stored` is the request as it is now. */
export function notTaken(mission: MissionJson, stored: Approval | undefined): AgencError {
  const { short_id } = mission
  const listed = `Run 'agenc approvals ls ${short_id}' to see the answers.`
  switch (stored?.decided_by) {
    case 'user':
      return new AgencError(`the request of ${short_id} was already answered in its window`, listed)
    case 'rule':
      return new AgencError(`a rule has already answered the request of ${short_id}`, listed)
    case 'answer':
      return new AgencError(
        `another 'mission answer' was faster: the request of ${short_id} was ${decisionWord(stored.decision).toLowerCase()}`,
        listed,
      )
    case 'timeout':
      return new AgencError(`the request of ${short_id} has ended without an answer`, listed)
    default:
      return new AgencError(`the request of ${short_id} can only be answered in its window`, goThere(mission))
  }
}

/** The commands that answer the request. */
export function howTo(mission: MissionJson, request: PendingRequest): string {
  return ['Answer it with:', ...answerCommands(request, mission).map(command => `  ${command}`)].join('\n')
}

export function listing(mission: MissionJson): string {
  const lines = mission.pending.map(request => `  ${request.id}  ${requestWords(request, mission)}`)
  return ['Pending:', ...lines].join('\n')
}

export function decisionWord(decision: string): string {
  return decision === 'allow' ? 'Allowed' : 'Denied'
}

function goThere({ short_id }: MissionJson): string {
  return `Go there with: agenc mission focus ${short_id}`
}
