import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsFrom } from '../../src/paths.ts'
import { agencScript, type Sandbox, sandbox } from './cli.ts'
import { isAlive } from './processes.ts'
import { standInClaude } from './stand-in.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

export interface WindowRow {
  id: string
  isActive: boolean
  name: string
  mission: string
  state: string
  parent: string
  panes: number
}

/** A sandbox with the stand-in as its Claude and a private tmux server that ends with the test. */
export interface SessionBox extends Sandbox {
  tmux(...args: string[]): string
  attach(options?: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv }): Terminal
  windows(): WindowRow[]
  missions(): MissionJson[]
  mission(id: string): MissionJson
  /** Adds a trusted repo to the library. */
  addRepo(name: string): string
  waitForState(id: string, state: string): Promise<MissionJson>
  /** Returns the environment of a program in that window. */
  inside(window: string): NodeJS.ProcessEnv
  /** Starts a session with one blank mission and no client. Returns the mission's window. */
  start(): Promise<WindowRow>
  /** Starts another mission from that window. Returns its window once it is idle. */
  startFrom(window: string, ...args: string[]): Promise<WindowRow>
  windowOf(mission: string): WindowRow | undefined
}

export function sessionBox({
  tmuxConf = '',
  claude,
}: {
  tmuxConf?: string
  claude?: string
} = {}): SessionBox {
  const box = sandbox()
  const bin = join(box.root, 'bin')
  if (claude === undefined) standInClaude(bin)
  else {
    mkdirSync(bin)
    symlinkSync(claude, join(bin, 'claude'))
  }
  Object.assign(box.env, {
    PATH: `${bin}:${box.env.PATH}`,
    SHELL: '/bin/sh',
    PS1: 'shell$ ',
    ENV: '',
  })
  writeFileSync(join(box.home, '.tmux.conf'), tmuxConf)
  mkdirSync(join(box.home, '.claude'), { recursive: true })
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', ...args], {
      env: box.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  onTestFinished(async () => {
    const processes = runningProcesses(box)
    spawnSync('tmux', ['kill-server'], { env: box.env, stdio: 'ignore' })
    await waitFor('all missions to end', () => !processes.some(isAlive))
  })
  const session: SessionBox = {
    ...box,
    tmux,
    attach: (options = {}) =>
      openTerminal(process.execPath, [agencScript, 'tmux', 'attach'], {
        env: { ...box.env, ...options.env },
        cwd: box.root,
        columns: options.columns ?? 120,
        rows: options.rows ?? 36,
      }),
    windows: () => readWindows(tmux),
    missions: () => box.agencJson(['mission', 'ls', '-a']),
    mission: id => box.agencJson(['mission', 'show', id]),
    addRepo: name => addRepo(box, name),
    waitForState: (id, state) =>
      waitFor(`${id} to be ${state}`, () => {
        const mission = session.mission(id)
        return (mission.state ?? mission.status) === state && mission
      }).catch(error => {
        throw new Error(`${error.message}\n${whatIsKnownOf(session, id)}`)
      }),
    windowOf: mission => session.windows().find(window => window.mission === mission),
    inside: window => {
      const format = '#{socket_path},#{pid},#{s/[$]//:session_id}\t#{pane_id}'
      const [variable, pane] = tmux('display-message', '-p', '-t', window, format).trim().split('\t')
      return { AGENC_TMUX: '1', TMUX: variable, TMUX_PANE: pane }
    },
    start: async () => {
      const terminal = session.attach()
      // After a crash, attach offers to restore missions first.
      const isAsked = (await terminal.waitForText(/\(blank\)|\(Y\/n\)/)).includes('(Y/n)')
      if (isAsked) terminal.type('n\r')
      await terminal.waitForText('(blank)')
      terminal.type('\r')
      const window = await waitFor('the first mission', () =>
        session.windows().find(({ mission }) => mission),
      )
      await session.waitForState(window.mission, 'idle')
      terminal.type('\u0002d')
      await terminal.exited
      return session.windowOf(window.mission)!
    },
    startFrom: async (window, ...args) => {
      const made = session.agenc(['mission', 'new', '--blank', ...args], { env: session.inside(window) })
      if (made.exitCode !== 0) throw new Error(made.stderr)
      const id = made.stdout.trim()
      await session.waitForState(id, 'idle')
      return session.windowOf(id)!
    },
  }
  return session
}

/** What can tell why a mission is not in the state that a test waited for. */
function whatIsKnownOf(session: SessionBox, id: string): string {
  const { run, wrapperLog } = pathsFrom(session.env).mission(id as MissionId)
  const mission = session.mission(id)
  const log = existsSync(wrapperLog) ? readFileSync(wrapperLog, 'utf8') : 'no wrapper.log'
  const files = existsSync(run) ? readdirSync(run, { recursive: true }) : ['no run directory']
  return [JSON.stringify(mission), screens(session), log, ...files].join('\n')
}

/** Every window, with what it shows and the processes in it. */
function screens(session: SessionBox): string {
  try {
    return session
      .windows()
      .map(({ id, name }) => {
        const screen = session.tmux('capture-pane', '-p', '-t', id).trimEnd()
        const [isDead, tty] = session
          .tmux('display-message', '-p', '-t', id, '#{pane_dead} #{pane_tty}')
          .trim()
          .split(' ')
        const processes = spawnSync('ps', ['-o', 'pid,ppid,stat,args', '-t', tty!.replace('/dev/', '')], {
          encoding: 'utf8',
        })
        return `${name}${isDead === '1' ? ' (dead)' : ''}:\n${screen}\n${processes.stdout}`
      })
      .join('\n')
  } catch (error) {
    return String(error)
  }
}

/** Must not throw, even if a test has left the settings broken: the clean-up after it has to end the server. */
function runningProcesses(box: Sandbox): number[] {
  const listed = box.agenc(['mission', 'ls', '-a', '--json'])
  if (listed.exitCode !== 0) return []
  return (JSON.parse(listed.stdout) as MissionJson[])
    .flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid, claude_pid])
    .filter(pid => pid !== null)
}

const rowFormat = [
  '#{window_id}',
  '#{window_active}',
  '#{window_name}',
  '#{@agenc_mission_uuid}',
  '#{@agenc_state}',
  '#{@agenc_parent_window}',
  '#{window_panes}',
].join('\t')

function readWindows(tmux: (...args: string[]) => string): WindowRow[] {
  return tmux('list-windows', '-t', '=agenc:', '-F', rowFormat)
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('\t'))
    .map(([id, active, name, mission, state, parent, panes]) => ({
      id: id!,
      isActive: active === '1',
      name: name!,
      mission: mission!,
      state: state!,
      parent: parent!,
      panes: Number(panes),
    }))
}

function addRepo(box: Sandbox, name: string): string {
  const source = join(box.root, 'sources', name)
  mkdirSync(source, { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: source, env: box.env, stdio: 'ignore' })
  git('init', '-b', 'main')
  writeFileSync(join(source, 'README.md'), `# ${name}\n`)
  git('add', '.')
  git('commit', '-m', 'first')
  const added = box.agenc(['repo', 'add', source, '--trust'])
  if (added.exitCode !== 0) throw new Error(added.stderr)
  return added.stdout.trim()
}
