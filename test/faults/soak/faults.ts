import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Status } from '../../../src/mission/mission-status.ts'
import { tryKill } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait.ts'
import { untilStatuses } from '../assert-healthy.ts'
import type { FaultBox } from '../fault-box.ts'
import { guardsOf, processesOf, remindTmux } from '../mission-processes.ts'
import type { Model, ModelMission } from './model.ts'
import type { Operation } from './operations.ts'

interface Fault {
  title: string
  status: Status
  explains?: boolean
  strike(box: FaultBox, pids: { wrapper: number; claude: number; id: string }): void | Promise<void>
}

const killWrapperWith = (signal: NodeJS.Signals, status: Status): Fault => ({
  title: `${signal} to the wrapper of`,
  status,
  explains: status === 'crashed',
  strike: (_box, { wrapper }) => void process.kill(wrapper, signal),
})

const faultsOfOne: readonly Fault[] = [
  {
    title: 'kill -9 of the Claude of',
    status: 'crashed',
    explains: true,
    strike: (_box, { claude }) => void process.kill(claude, 'SIGKILL'),
  },
  killWrapperWith('SIGKILL', 'crashed'),
  killWrapperWith('SIGTERM', 'stopped'),
  killWrapperWith('SIGHUP', 'stopped'),
  killWrapperWith('SIGINT', 'stopped'),
  {
    title: 'kill -9 of every process of',
    status: 'crashed',
    explains: true,
    strike: async (box, { id, wrapper }) => {
      // The wrapper of a session's first mission has no mission in its environment.
      const processes = [...guardsOf(wrapper), ...processesOf(id)]
      // First of all, and not stopped before: tmux would continue it.
      tryKill(wrapper, 'SIGKILL')
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of processes) tryKill(pid, signal)
      await remindTmux(box, [wrapper])
    },
  },
  {
    title: 'kill-window of',
    status: 'stopped',
    strike: (box, { id }) => void box.tmux('kill-window', '-t', box.windowOf(id)!.id),
  },
  {
    title: 'kill -9 of the guard of',
    status: 'running',
    strike: (_box, { wrapper }) => {
      for (const guard of guardsOf(wrapper)) process.kill(guard, 'SIGKILL')
    },
  },
  {
    title: 'a FIFO, a directory and nonsense in the spool of',
    status: 'running',
    strike: (box, { id }) => {
      const { events } = box.paths(id)
      execFileSync('mkfifo', [join(events, '4000001')])
      mkdirSync(join(events, '4000002'))
      writeFileSync(join(events, '4000003'), '{ "half')
    },
  },
]

/** A fault that hits one running mission. */
const faultOfOne: Operation = {
  weight: 14,
  choose: (model, random) => {
    const running = model.running()
    if (running.length === 0) return null
    const mission = random.pick(running)
    const fault = random.pick(faultsOfOne)
    mission.status = fault.status
    mission.isExplained = fault.explains ?? false
    mission.isKilled = false
    return {
      title: `FAULT ${fault.title} m${mission.number}`,
      run: async box => {
        const { wrapper_pid, claude_pid } = box.record(mission.id)
        await fault.strike(box, { id: mission.id, wrapper: wrapper_pid!, claude: claude_pid! })
        await untilSettled(box, model, [mission])
      },
    }
  },
}

const wholeSession = [
  {
    title: 'kill -9 of the tmux server',
    status: 'crashed',
    strike: (box: FaultBox) => process.kill(box.serverPid(), 'SIGKILL'),
  },
  { title: 'kill-server', status: 'crashed', strike: (box: FaultBox) => box.tmux('kill-server') },
  {
    title: 'kill-session',
    status: 'stopped',
    strike: (box: FaultBox) => box.tmux('kill-session', '-t', '=agenc'),
  },
  {
    title: 'agenc tmux kill',
    status: 'stopped',
    strike: (box: FaultBox) => expect(box.agenc(['tmux', 'kill'])).toMatchObject({ exitCode: 0 }),
  },
] as const

/** A fault that hits all missions at once. */
const faultOfAll: Operation = {
  weight: 3,
  choose: (model, random) => {
    if (!model.hasSession()) return null
    const fault = random.pick(wholeSession)
    const hit = model.running()
    const isKill = fault.title === 'agenc tmux kill'
    for (const mission of model.missions) {
      mission.isExplained = false
      if (isKill || hit.includes(mission)) mission.isKilled = isKill && hit.includes(mission)
    }
    for (const mission of hit) mission.status = fault.status
    return {
      title: `FAULT ${fault.title}`,
      run: async box => {
        fault.strike(box)
        await untilSettled(box, model, hit)
      },
    }
  },
}

/** tmux stands still while agenc is asked. */
const silentTmux: Operation = {
  weight: 1,
  choose: model => {
    if (!model.hasSession()) return null
    return {
      title: 'FAULT tmux does not answer',
      run: async box => {
        const pid = box.serverPid()
        process.kill(pid, 'SIGSTOP')
        try {
          await untilStatuses(box, model.expectations())
        } finally {
          process.kill(pid, 'SIGCONT')
        }
      },
    }
  },
}

/** Starts a session if there is none. Without it, most operations are impossible. */
const newSession: Operation = {
  weight: 40,
  choose: model => {
    if (model.hasSession()) return null
    const number = model.nextNumber()
    const mission: ModelMission = {
      number,
      id: '',
      sessionId: '',
      status: 'running',
      state: 'idle',
      prompts: [],
    }
    model.missions.push(mission)
    return {
      title: `attach to a new session with m${number}`,
      run: async box => {
        const window = await box.start()
        mission.id = window.mission
        mission.sessionId = window.mission
      },
    }
  },
}

/** Waits until agenc shows the expected statuses, no process is left, and windows are gone or explain. */
async function untilSettled(box: FaultBox, model: Model, hit: readonly ModelMission[]): Promise<void> {
  await untilStatuses(box, model.expectations())
  const gone = hit.filter(({ status }) => status !== 'running').map(({ id }) => id)
  const explanations = () => box.openWindows().filter(({ state }) => state === 'crashed')
  await waitFor('the windows of missions that ended', () => {
    const open = box.openWindows()
    const isLeft = open.some(({ mission, state }) => gone.includes(mission) && state !== 'crashed')
    if (!isLeft && explanations().length === model.explained().length) return true
    throw new Error(JSON.stringify(open))
  })
  const explaining = explanations().map(({ id }) =>
    Number(box.tmux('display-message', '-p', '-t', id, '#{pane_pid}')),
  )
  for (const id of gone)
    await waitFor(`no process of ${id}`, () => processesOf(id).every(pid => explaining.includes(pid)))
}

export const faults: readonly Operation[] = [faultOfOne, faultOfAll, silentTmux, newSession]
