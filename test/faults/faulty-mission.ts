import type { Status } from '../../src/mission/mission-status.ts'
import type { WindowRow } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'
import type { Expected } from './assert-healthy.ts'
import type { FaultBox } from './fault-box.ts'
import type { Subject } from './mission-states.ts'

type ExpectedMission = [id: string, Expected]

/** What is expected of a mission that was given its first prompt, and perhaps more. */
export function expected(
  { id, sessionId, prompt }: Pick<Subject, 'id' | 'sessionId' | 'prompt'>,
  status: Status,
  ...more: string[]
): ExpectedMission {
  return [id, { status, sessionId, prompts: [prompt, ...more] }]
}

/** What is expected of a mission without prompts. */
export function unprompted({ mission }: WindowRow, status: Status): ExpectedMission {
  return [mission, { status, sessionId: mission, prompts: [] }]
}

/** Types a prompt and Enter into a mission's window. */
export async function say(box: FaultBox, window: string, prompt: string): Promise<void> {
  const typed = prompt.replace(/\s+/g, '').slice(-12)
  await waitFor('the prompt', () => /^❯/m.test(box.screen(window)))
  box.tmux('send-keys', '-t', window, '-l', prompt)
  await waitFor('the typed prompt', () => box.screen(window).replace(/\s+/g, '').includes(typed))
  box.tmux('send-keys', '-t', window, 'Enter')
}
