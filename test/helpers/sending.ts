import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SessionBox, sessionBox } from './session.ts'
import { waitFor } from './wait.ts'

/** The JSON of `mission send`, and its exit code. */
export interface Sent {
  id: string | null
  mission_id: string
  outcome: string
  kept: boolean
  reason: string | null
  answer: string | null
  exitCode: number
}

export function send(box: Pick<SessionBox, 'agenc'>, mission: string, ...args: string[]): Sent {
  const { stdout, exitCode } = box.agenc(['mission', 'send', mission, ...args, '--json'])
  return { ...JSON.parse(stdout), exitCode }
}

/** What was said to Claude, as its transcript has it. */
export function prompts(box: SessionBox, mission: string): string[] {
  const projects = join(box.home, '.claude', 'projects')
  const name = `${box.mission(mission).session_id}.jsonl`
  const file = readdirSync(projects, { recursive: true }).find(path => String(path).endsWith(name))
  if (file === undefined) return []
  return readFileSync(join(projects, String(file)), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .flatMap(({ type, message, attachment }) => {
      if (type === 'user' && typeof message.content === 'string') return [message.content]
      return attachment?.type === 'queued_command' ? [attachment.prompt] : []
    })
}

export const screen = (box: SessionBox, window: string) => box.tmux('capture-pane', '-p', '-t', window)

/** What is in Claude's prompt box. */
export const promptBox = (box: SessionBox, window: string) => screen(box, window).split('❯\u00a0').at(-1)!

export async function type(box: SessionBox, window: string, text: string): Promise<void> {
  box.tmux('send-keys', '-t', window, '-l', text)
  await waitFor(`${text} in the box`, () => promptBox(box, window).includes(text))
}

/** A session with one mission, in the default mode. */
export async function startedToSend(options: Parameters<typeof sessionBox>[0] = {}) {
  const box = sessionBox(options)
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const { id, mission } = await box.start()
  return { box, mission, window: id, say: (...args: string[]) => send(box, mission, ...args) }
}
