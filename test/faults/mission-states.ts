import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agencScript, type Ran } from '../helpers/cli.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import type { FaultBox } from './fault-box.ts'

export const missionStates = [
  'starting',
  'idle',
  'busy',
  'waiting',
  'in a tool',
  'stopping',
  'error screen',
] as const

export type MissionState = (typeof missionStates)[number]

/** A mission that was brought into a state in which it stays. */
export interface Subject {
  id: string
  state: MissionState
  prompt: string
  sessionId: string
  window: string
  /** Null on the error screen, where the mission has ended already. */
  claudePid: number | null
  wrapperPid: number
  /** A command that is still stopping the mission. */
  stop?: Promise<Ran>
}

const longTool = "trap '' HUP INT TERM; : >in-tool; while :; do sleep 1; done"

const scripts: Record<MissionState, string> = {
  starting: 'Begin. [[text Begun.]]',
  idle: 'Rest. [[text Rested.]]',
  busy: 'Think. [[text A few words.]]+[[hang]]',
  waiting: 'Ask. [[bash touch made]] [[text Asked.]]',
  'in a tool': `Work. [[bash ${longTool}]] [[text Worked.]]`,
  stopping: 'Stay. [[text Stayed.]]',
  'error screen': 'Fail. [[text Not yet failed.]]',
}

/** Starts a mission and brings it into this state. The mission's name is that of the state. */
export async function missionIn(box: FaultBox, state: MissionState, from: string): Promise<Subject> {
  const prompt = scripts[state]
  const id = await box.newMission(from, ...wishesFor(box, state))
  const window = box.windowOf(id)?.id ?? (await explanationOf(box))
  const stop = await reach(box, id, state, window)
  const { claude_pid, wrapper_pid, session_id } = box.record(id)
  const wrapperPid = wrapper_pid ?? Number(box.tmux('display-message', '-p', '-t', window, '#{pane_pid}'))
  return { id, state, prompt, sessionId: session_id, window, claudePid: claude_pid, wrapperPid, ...stop }
}

/** Like `missionIn`, but in a terminal without tmux: tmux would continue a wrapper that was stopped. */
export async function missionInTerminal(
  box: FaultBox,
  state: 'starting' | 'waiting',
): Promise<Subject & { terminal: Terminal }> {
  const args = ['mission', 'new', '--blank', ...wishesFor(box, state)]
  const known = box.query<{ id: string }>('SELECT id FROM missions').map(({ id }) => id)
  const terminal = openTerminal(process.execPath, [agencScript, ...args], { env: box.env, cwd: box.root })
  const id = await waitFor('the mission', () => {
    const now = box.query<{ id: string }>('SELECT id FROM missions').map(mission => mission.id)
    return now.find(one => !known.includes(one))
  })
  await reach(box, id, state, '')
  const { claude_pid, session_id } = box.record(id)
  const processes = { claudePid: claude_pid, wrapperPid: terminal.pid }
  return { id, state, prompt: scripts[state], sessionId: session_id, window: '', ...processes, terminal }
}

function wishesFor(box: FaultBox, state: MissionState): string[] {
  const name = state.replaceAll(' ', '-')
  if (state === 'starting') box.kinds.become('slow', name)
  if (state === 'stopping') box.kinds.become('ignore', name)
  if (state === 'error screen') box.kinds.become('fail', name)
  const mode = state === 'in a tool' ? 'allowedTools' : 'default'
  return ['--name', name, '--prompt', scripts[state], '--permission-mode', mode]
}

/** The window of a mission that has failed already. */
function explanationOf(box: FaultBox): Promise<string> {
  return waitFor('a window without a mission', () => box.windows().find(({ mission }) => mission === '')?.id)
}

async function reach(
  box: FaultBox,
  id: string,
  state: MissionState,
  window: string,
): Promise<{ stop?: Promise<Ran> }> {
  switch (state) {
    case 'starting':
      await waitFor('Claude', () => box.record(id).claude_pid)
      return {}
    case 'busy':
      await waitFor('a few words', () => box.screen(window).includes('A few words.'))
      await box.until(id, 'busy')
      return {}
    case 'waiting':
      await box.until(id, 'waiting')
      return {}
    case 'in a tool':
      await waitFor('the tool', () => existsSync(join(box.paths(id).agent, 'in-tool')))
      return {}
    case 'error screen':
      await waitFor('the error', () => box.screen(window).includes('q: close'))
      return {}
    case 'idle':
      await untilAnswered(box, id)
      return {}
    case 'stopping': {
      await untilAnswered(box, id)
      const stop = box.agencAsync(['mission', 'stop', id])
      await waitFor('Claude to be asked to end', () =>
        readFileSync(box.paths(id).wrapperLog, 'utf8').includes('SIGTERM: forward'),
      )
      return { stop }
    }
  }
}

/** Waits until the mission has taken its first prompt and is idle again. */
export async function untilAnswered(box: FaultBox, id: string): Promise<void> {
  await waitFor(`${id} to have its prompt`, () => box.promptsOf(id).length > 0)
  await waitFor('the prompt to count as taken', () => !existsSync(box.paths(id).prompt))
  await box.until(id, 'idle')
}
