import type { Status } from '../../src/mission/mission-status.ts'
import { tryKill } from '../helpers/processes.ts'
import type { FaultBox } from './fault-box.ts'
import { guardOf, processesOf, remindTmux } from './mission-processes.ts'
import type { MissionState, Subject } from './mission-states.ts'

export interface Outcome {
  status: Status
  /** The mission's window stays open to show why it ended. */
  isExplained: boolean
}

/** One way to kill missions, and what must follow. */
export interface Kill {
  title: string
  strike(box: FaultBox, subjects: readonly Subject[]): void | Promise<void>
  /** Whether it hits every mission of the session, also those that are not subjects. */
  isForAll?: boolean
  /** What happens to a mission that runs, is not stopping, and is hit. */
  outcome: Outcome
  /** The kill finds nothing to hit on an error screen. */
  sparesErrorScreens?: boolean
}

const crashed: Outcome = { status: 'crashed', isExplained: false }
const explained: Outcome = { status: 'crashed', isExplained: true }
const stopped: Outcome = { status: 'stopped', isExplained: false }

const signalWrapper = (signal: NodeJS.Signals) => (_box: FaultBox, subjects: readonly Subject[]) => {
  for (const { wrapperPid } of subjects) process.kill(wrapperPid, signal)
}

function killClaude(_box: FaultBox, subjects: readonly Subject[]): void {
  for (const { claudePid } of subjects) if (claudePid !== null) process.kill(claudePid, 'SIGKILL')
}

/** The wrapper first: it would act on the end of its Claude. Stopping it does not help, because tmux would continue it. */
function killBoth(_box: FaultBox, subjects: readonly Subject[]): void {
  for (const { claudePid, wrapperPid } of subjects) {
    process.kill(wrapperPid, 'SIGKILL')
    if (claudePid !== null) tryKill(claudePid, 'SIGKILL')
  }
}

function killGuard(_box: FaultBox, subjects: readonly Subject[]): void {
  for (const { claudePid, wrapperPid } of subjects)
    if (claudePid !== null) process.kill(guardOf(wrapperPid), 'SIGKILL')
}

/** Wrapper, guard, Claude, its hooks and its tools, as the kernel may do when memory runs out. */
async function killEverything(box: FaultBox, subjects: readonly Subject[]): Promise<void> {
  const processes = subjects.flatMap(({ id, wrapperPid, claudePid }) => [
    ...(claudePid === null ? [] : [guardOf(wrapperPid)]),
    ...processesOf(id),
  ])
  // None may react to the end of another. tmux would continue a stopped wrapper.
  for (const { wrapperPid } of subjects) tryKill(wrapperPid, 'SIGKILL')
  for (const pid of processes) tryKill(pid, 'SIGSTOP')
  for (const pid of processes) tryKill(pid, 'SIGKILL')
  await remindTmux(
    box,
    subjects.map(({ wrapperPid }) => wrapperPid),
  )
}

export const processKills: readonly Kill[] = [
  {
    title: 'kill -9 of Claude',
    strike: killClaude,
    outcome: explained,
    sparesErrorScreens: true,
  },
  { title: 'kill -9 of the wrapper', strike: signalWrapper('SIGKILL'), outcome: explained },
  { title: 'kill -9 of both', strike: killBoth, outcome: explained },
  {
    title: 'kill -9 of the guard',
    strike: killGuard,
    outcome: { status: 'running', isExplained: false },
    sparesErrorScreens: true,
  },
  {
    title: 'kill -9 of everything',
    strike: killEverything,
    outcome: explained,
  },
  { title: 'TERM to the wrapper', strike: signalWrapper('SIGTERM'), outcome: stopped },
]

export const terminalKills: readonly Kill[] = [
  {
    title: 'kill -9 of tmux',
    strike: box => void process.kill(box.serverPid(), 'SIGKILL'),
    isForAll: true,
    outcome: crashed,
  },
  {
    title: 'kill-window',
    strike: (box, subjects) => {
      for (const { window } of subjects) box.tmux('kill-window', '-t', window)
    },
    outcome: stopped,
  },
  {
    title: 'kill-session',
    strike: box => void box.tmux('kill-session', '-t', '=agenc'),
    isForAll: true,
    outcome: stopped,
  },
  { title: 'HUP to the wrapper', strike: signalWrapper('SIGHUP'), outcome: stopped },
  { title: 'INT to the wrapper', strike: signalWrapper('SIGINT'), outcome: stopped },
]

/** What must become of a mission that was in this state. */
export function outcomeOf(kill: Kill, state: MissionState): Outcome {
  switch (state) {
    // The user has already told it to stop.
    case 'stopping':
      return stopped
    // It has ended already.
    case 'error screen':
      return { ...stopped, isExplained: kill.sparesErrorScreens ?? false }
    default:
      return kill.outcome
  }
}
