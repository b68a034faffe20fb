import { requestSummary } from '../approvals/request-summary.ts'
import type { WaitingFor } from '../db/missions.ts'
import type { AskReport } from './open-requests.ts'

const withoutRequest: Record<WaitingFor, string> = {
  permission: 'asks for permission',
  question: 'asks a question',
  plan: 'asks you to approve its plan',
  trust: 'asks whether you trust its directory',
  input: 'waits for you',
}

/** Says what a waiting mission, which works in `directory`, asks for. The words follow its label. */
export function waitingWords(
  waitingFor: WaitingFor | null,
  request: AskReport | null,
  directory: string,
): string {
  if (waitingFor === 'permission' && request?.dialog === 'permission') {
    const { tool, input } = request.use
    return `asks: ${tool} ${requestSummary(tool, input, directory)}`.trimEnd()
  }
  if (waitingFor === 'question' && request?.question) return `asks: ${request.question}`
  return withoutRequest[waitingFor ?? 'input']
}
