import type { Status } from '../../src/mission/mission-status.ts'
import type { WindowRow } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'
import type { Expected } from './assert-healthy.ts'
import type { ObservedBox } from './fault-box.ts'
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

/** Pastes a prompt into a mission's window and presses Enter. After fast typing, Claude takes Enter as a newline. */
export async function say(box: ObservedBox, window: string, prompt: string): Promise<void> {
  const typed = prompt.replace(/\s+/g, '').slice(-12)
  await waitFor('the prompt', () => /^❯/m.test(box.screen(window)))
  box.tmux('set-buffer', '-b', 'prompt', prompt)
  box.tmux('paste-buffer', '-p', '-d', '-b', 'prompt', '-t', window)
  await waitFor('the pasted prompt', () => inPromptBox(box.screen(window)).includes(typed))
  box.tmux('send-keys', '-t', window, 'Enter')
}

/** The text behind the last prompt sign, without spaces. */
function inPromptBox(screen: string): string {
  return screen.slice(screen.lastIndexOf('❯')).replace(/\s+/g, '')
}
