import { expect } from 'vitest'
import { waitFor } from '../../helpers/wait.ts'
import { choice, untilStatuses } from '../assert-healthy.ts'
import type { FaultBox } from '../fault-box.ts'
import { say } from '../faulty-mission.ts'
import type { Model, ModelMission } from './model.ts'
import type { Random } from './random.ts'

/** An operation with everything that it needs, chosen but not yet done. */
export interface Chosen {
  title: string
  run(box: FaultBox): Promise<void>
}

export interface Operation {
  weight: number
  /** Null if it is not possible now. Makes all random choices, and promises the result to the model. */
  choose(model: Model, random: Random): Chosen | null
}

const scripts = {
  idle: '[[text Fine.]]',
  busy: '[[text A few words.]]+[[hang]]',
  waiting: '[[bash touch made]] [[text Made.]]',
} as const

type State = keyof typeof scripts

const states: State[] = ['idle', 'idle', 'busy', 'waiting']

export const operations: readonly Operation[] = [
  { weight: 12, choose: chooseNew },
  { weight: 3, choose: chooseSeveral },
  { weight: 4, choose: chooseFork },
  { weight: 8, choose: choosePrompt },
  { weight: 5, choose: chooseInterrupt },
  { weight: 6, choose: chooseAnswer },
  { weight: 6, choose: chooseStop },
  { weight: 10, choose: chooseResume },
  { weight: 2, choose: chooseResumeTwice },
  { weight: 3, choose: chooseArchive },
  { weight: 2, choose: chooseUnarchive },
  { weight: 4, choose: chooseRemove },
  { weight: 3, choose: chooseRename },
  { weight: 3, choose: chooseSet },
  { weight: 3, choose: chooseConfig },
  { weight: 3, choose: chooseAttach },
  { weight: 6, choose: chooseRestore },
  { weight: 4, choose: chooseReadExplanation },
  { weight: 3, choose: chooseLook },
]

const named = ({ number }: ModelMission) => `m${number}`

async function agenc(box: FaultBox, args: string[]): Promise<string> {
  const window = box.openWindows()[0]?.id
  const done = await box.agencAsync(args, { env: window === undefined ? {} : box.inside(window) })
  if (done.exitCode !== 0) throw new Error(`agenc ${args.join(' ')} → ${done.exitCode}\n${done.stderr}`)
  return done.stdout.trim()
}

const untilState = async (box: FaultBox, { id, state }: Pick<ModelMission, 'id' | 'state'>) => {
  await box.until(id, state)
}

/** Waits until the mission has as many prompts as it should, and is in its state. */
async function untilSettled(box: FaultBox, mission: ModelMission): Promise<void> {
  const { id, prompts } = mission
  await waitFor(`the prompts of ${named(mission)}`, () => box.promptsOf(id).length >= prompts.length)
  await untilState(box, mission)
}

function chooseNew(model: Model, random: Random): Chosen | null {
  if (!model.hasRoom() || !model.hasSession()) return null
  const state = random.pick(states)
  const prompt = model.nextPrompt(scripts[state])
  const number = model.nextNumber()
  const mission: ModelMission = { number, id: '', sessionId: '', status: 'running', state, prompts: [prompt] }
  model.missions.push(mission)
  return {
    title: `new ${named(mission)}, ${state}`,
    run: async box => {
      const wishes = ['--no-focus', '--permission-mode', 'default', '--prompt', prompt]
      mission.id = await agenc(box, ['mission', 'new', '--blank', ...wishes])
      mission.sessionId = box.record(mission.id).session_id
      await untilSettled(box, mission)
    },
  }
}

/** New missions, a rename and a setting, all at once. */
function chooseSeveral(model: Model, random: Random): Chosen | null {
  const makers = [chooseRename, chooseNew, chooseNew, chooseConfig]
  const all = makers.map(choose => choose(model, random)).filter(chosen => chosen !== null)
  return {
    title: `at once: ${all.map(({ title }) => title).join(' | ')}`,
    run: async box => {
      await Promise.all(all.map(({ run }) => run(box)))
    },
  }
}

function chooseFork(model: Model, random: Random): Chosen | null {
  const sources = [...model.running('idle'), ...model.with('stopped')].filter(
    ({ prompts }) => prompts.length > 0,
  )
  if (!model.hasRoom() || !model.hasSession() || sources.length === 0) return null
  const source = random.pick(sources)
  const prompt = model.nextPrompt(scripts.idle)
  const fork: ModelMission = {
    ...source,
    number: model.nextNumber(),
    status: 'running',
    state: 'idle',
    prompts: [...source.prompts, prompt],
  }
  model.missions.push(fork)
  return {
    title: `fork ${named(source)} as ${named(fork)}`,
    run: async box => {
      fork.id = await agenc(box, ['mission', 'fork', source.id, '--no-focus', '--prompt', prompt])
      await waitFor('the prompt of the fork', () => box.promptsOf(fork.id).includes(prompt))
      await untilSettled(box, fork)
      fork.sessionId = box.record(fork.id).session_id
    },
  }
}

function choosePrompt(model: Model, random: Random): Chosen | null {
  const idle = model.running('idle')
  if (idle.length === 0) return null
  const mission = random.pick(idle)
  const state = random.pick(states)
  const prompt = model.nextPrompt(scripts[state])
  mission.prompts.push(prompt)
  mission.state = state
  return {
    title: `prompt ${named(mission)}, ${state}`,
    run: async box => {
      await say(box, box.windowOf(mission.id)!.id, prompt)
      await untilSettled(box, mission)
    },
  }
}

function chooseInterrupt(model: Model, random: Random): Chosen | null {
  const busy = model.running('busy')
  if (busy.length === 0) return null
  const mission = random.pick(busy)
  mission.state = 'idle'
  return {
    title: `interrupt ${named(mission)}`,
    run: async box => {
      const window = box.windowOf(mission.id)!.id
      await waitFor('the turn', () => box.screen(window).includes('A few words.'))
      await waitFor('the end of the turn', () => {
        if (box.record(mission.id).state === 'busy') box.tmux('send-keys', '-t', window, 'Escape')
        return waitFor('idle', () => box.record(mission.id).state === 'idle', 1_000)
      })
    },
  }
}

function chooseAnswer(model: Model, random: Random): Chosen | null {
  const waiting = model.running('waiting')
  if (waiting.length === 0) return null
  const mission = random.pick(waiting)
  const decision = random.pick(['allow', 'deny'])
  mission.state = 'idle'
  return {
    title: `answer ${named(mission)} ${decision}`,
    run: async box => {
      await agenc(box, ['mission', 'answer', mission.id, decision])
      await untilState(box, mission)
    },
  }
}

function chooseStop(model: Model, random: Random): Chosen | null {
  const running = model.running()
  if (running.length === 0) return null
  const count = random.below(8) === 0 ? running.length : 1
  const first = random.below(running.length)
  const some = count === 1 ? [running[first]!] : running
  for (const mission of some) mission.status = 'stopped'
  return {
    title: `stop ${some.map(named).join(' ')}`,
    run: async box => {
      await agenc(box, ['mission', 'stop', ...some.map(({ id }) => id)])
    },
  }
}

function resumable(model: Model): ModelMission[] {
  return model.mayRunMore() && model.hasSession() ? model.with('stopped', 'crashed', 'archived') : []
}

function chooseResume(model: Model, random: Random): Chosen | null {
  const missions = resumable(model)
  if (missions.length === 0) return null
  const mission = random.pick(missions)
  Object.assign(mission, { status: 'running', state: 'idle', isKilled: false })
  return {
    title: `resume ${named(mission)}`,
    run: async box => {
      await agenc(box, ['mission', 'resume', mission.id, '--no-focus'])
      await untilSettled(box, mission)
    },
  }
}

/** The second one may find the mission running, or fail. There must be one window in the end. */
function chooseResumeTwice(model: Model, random: Random): Chosen | null {
  const missions = resumable(model)
  if (missions.length === 0) return null
  const mission = random.pick(missions)
  Object.assign(mission, { status: 'running', state: 'idle', isKilled: false })
  return {
    title: `resume ${named(mission)} twice at once`,
    run: async box => {
      const env = box.inside(box.openWindows()[0]!.id)
      const args = ['mission', 'resume', mission.id, '--no-focus']
      const done = await Promise.all([1, 2].map(() => box.agencAsync(args, { env })))
      expect(done.some(({ exitCode }) => exitCode === 0)).toBe(true)
      await untilSettled(box, mission)
    },
  }
}

function chooseArchive(model: Model, random: Random): Chosen | null {
  const missions = model.with('running', 'stopped', 'crashed')
  if (missions.length === 0) return null
  const mission = random.pick(missions)
  Object.assign(mission, { status: 'archived', isKilled: false })
  return {
    title: `archive ${named(mission)}`,
    run: async box => {
      await agenc(box, ['mission', 'archive', mission.id])
    },
  }
}

function chooseUnarchive(model: Model, random: Random): Chosen | null {
  const missions = model.with('archived')
  if (missions.length === 0) return null
  const mission = random.pick(missions)
  mission.status = 'stopped'
  return {
    title: `unarchive ${named(mission)}`,
    run: async box => {
      await agenc(box, ['mission', 'unarchive', mission.id])
    },
  }
}

function chooseRemove(model: Model, random: Random): Chosen | null {
  const missions = model.with('stopped', 'crashed', 'archived')
  if (missions.length === 0) return null
  const mission = random.pick(missions)
  model.remove(mission)
  return {
    title: `rm ${named(mission)}`,
    run: async box => {
      await agenc(box, ['mission', 'rm', mission.id, '--yes', '--force'])
    },
  }
}

function chooseRename(model: Model, random: Random): Chosen | null {
  if (model.missions.length === 0) return null
  const mission = random.pick(model.missions)
  const name = `name ${random.below(1000)}`
  return {
    title: `rename ${named(mission)} to ${name}`,
    run: async box => {
      await agenc(box, ['mission', 'rename', mission.id, name])
      expect(box.record(mission.id).name).toBe(name)
    },
  }
}

function chooseSet(model: Model, random: Random): Chosen | null {
  if (model.missions.length === 0) return null
  const mission = random.pick(model.missions)
  const wish = random.pick([
    ['--approve', 'ask'],
    ['--approve', 'follow'],
    ['--model', 'opus'],
    ['--model', ''],
  ])
  return {
    title: `set ${named(mission)} ${wish.join(' ')}`,
    run: async box => {
      await agenc(box, ['mission', 'set', mission.id, ...wish])
    },
  }
}

function chooseConfig(_model: Model, random: Random): Chosen {
  const value = String(1000 + random.below(1000))
  return {
    title: `config set stop.grace_ms ${value}`,
    run: async box => {
      await agenc(box, ['config', 'set', 'stop.grace_ms', value])
      expect(await agenc(box, ['config', 'get', 'stop.grace_ms'])).toBe(value)
    },
  }
}

function chooseAttach(model: Model): Chosen | null {
  if (!model.hasSession()) return null
  return {
    title: 'attach and detach',
    run: async box => {
      const terminal = box.attach()
      await waitFor('the client', () => box.tmux('list-clients', '-t', '=agenc') !== '')
      terminal.type('\u0002d')
      await terminal.exited
    },
  }
}

function chooseRestore(model: Model, random: Random): Chosen | null {
  const crashed = model.restorable()
  if (crashed.length === 0 || model.running().length + crashed.length > model.mostRunning + 2) return null
  const times = random.below(4) === 0 ? 2 : 1
  for (const mission of crashed) Object.assign(mission, { status: 'running', state: 'idle', isKilled: false })
  return {
    title: times === 1 ? 'restore' : 'restore twice at once',
    run: async box => {
      const restores = await Promise.all(
        Array.from({ length: times }, () => box.agencAsync(['tmux', 'restore', '--json'])),
      )
      const restored = restores
        .flatMap(({ stdout }) => JSON.parse(stdout) as { id: string; restored: boolean }[])
        .filter(one => one.restored)
      expect(restored.map(({ id }) => id).sort()).toEqual(crashed.map(({ id }) => id).sort())
      for (const mission of crashed) await untilSettled(box, mission)
    },
  }
}

function chooseReadExplanation(model: Model): Chosen | null {
  const [mission] = model.explained()
  if (!mission) return null
  mission.isExplained = false
  return {
    title: `read why ${named(mission)} ended`,
    run: async box => {
      const { id } = box.windowOf(mission.id)!
      // Keys from before the question are discarded.
      await waitFor('the question', () => box.screen(id).includes(choice))
      box.tmux('send-keys', '-t', id, 'q')
      await waitFor('the window to close', () => !box.openWindows().some(window => window.id === id))
    },
  }
}

function chooseLook(model: Model, random: Random): Chosen {
  const command = random.pick([['mission', 'ls', '-a'], ['status'], ['approvals', 'ls'], ['repo', 'ls']])
  return {
    title: `${command.join(' ')}`,
    run: async box => {
      await agenc(box, command)
      await untilStatuses(box, model.expectations())
    },
  }
}
