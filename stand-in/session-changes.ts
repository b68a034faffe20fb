import { randomUUID } from 'node:crypto'
import { entriesOf } from './saved-sessions.ts'
import type { Stage } from './stage.ts'
import type { StatusFile } from './status-file.ts'
import { readTranscript } from './transcript.ts'

export interface SessionChange {
  stage: Stage
  status: StatusFile | undefined
}

/** `/clear`: the old conversation ends and another one begins, with another id. */
export async function clearSession({ stage, status }: SessionChange): Promise<void> {
  const { session } = stage
  session.nextPrompt()
  await stage.fire('SessionEnd', { reason: 'clear' }, { subject: 'clear' })
  session.become(randomUUID())
  status?.session(session.sessionId)
  await stage.fire('SessionStart', { source: 'clear', ...session.titleField() }, { subject: 'clear' })
  session.transcript.user('/clear', { isMeta: true })
}

export function renameSession({ stage, status }: SessionChange, name: string): void {
  const { session } = stage
  session.nextPrompt()
  session.name = name
  session.transcript.title(name)
  status?.name(name, 'user')
}

/** The agent view: the conversation goes on under another id, out of reach of whoever started this program. */
export async function moveToBackground({ stage, status }: SessionChange): Promise<void> {
  const { session } = stage
  const lines = session.transcript.exists ? readTranscript(session.transcript.path) : []
  await stage.fire('SessionEnd', { reason: 'other' }, { subject: 'other' })
  session.become(randomUUID())
  session.transcript.continueFrom(lines, true)
  status?.session(session.sessionId)
  await stage.fire('SessionStart', { source: 'fork', ...session.titleField() }, { subject: 'fork' })
  if (entriesOf(lines).length > 0) session.transcript.user('[moved to the background]', { isMeta: true })
}
