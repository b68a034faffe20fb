import type { Approval, PendingRequest } from '../../db/approvals.ts'
import type { WaitingFor } from '../../db/missions.ts'
import { AgencError } from '../../errors.ts'
import { answerCommands, requestWords } from '../../mission/how-to-answer.ts'
import type { MissionJson } from '../../mission/mission-json.ts'

/** Dialogs that no hook reports, so that only their window can answer them. */
const onlyInWindow: Record<WaitingFor, string> = {
  trust: 'asks whether you trust its directory',
  input: 'has a dialog open',
  permission: 'asks for permission',
  question: 'asks a question',
  plan: 'asks you to approve its plan',
}

export function nothingPending(mission: MissionJson): AgencError {
  const { short_id, state, waiting_for } = mission
  if (state === 'waiting')
    return new AgencError(
      `${short_id} ${onlyInWindow[waiting_for ?? 'input']}, which can only be answered in its window`,
      goThere(mission),
    )
  return new AgencError(
    `${short_id} has no open request`,
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
