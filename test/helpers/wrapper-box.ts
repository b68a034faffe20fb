import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { MissionRecord } from '../../src/db/missions.ts'
import { type ProcessIdentity, systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { agencScript, projectRoot, type Sandbox, sandbox } from './cli.ts'
import { isAlive, tryKill, untilGone } from './processes.ts'
import { standInClaude } from './stand-in.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

export interface HistoryEntry {
  kind: string
  data: Record<string, unknown>
}

/** A sandbox in which missions run the stand-in for Claude, each in a terminal without tmux. */
export interface WrapperBox extends Sandbox {
  claudeHome: string
  /** Runs `agenc …` as the first process of a new terminal, as in a window of its own. */
  run(args: string[], options?: { env?: NodeJS.ProcessEnv }): Terminal
  /** An interactive shell in which `agenc` can be typed. */
  shell(options?: { env?: NodeJS.ProcessEnv }): Promise<Terminal>
  /** Starts a blank mission in a new terminal and waits until it takes keys. */
  mission(...args: string[]): Promise<{ id: string; terminal: Terminal }>
  /** The mission's row in the store, read without the CLI. */
  record(id: string): MissionRecord
  records(): MissionRecord[]
  history(id: string): HistoryEntry[]
  /** Waits until the mission is idle and Claude takes Enter. Claude takes text a little earlier. */
  ready(id: string): Promise<void>
  /** Sends a prompt and waits until Claude is idle again. */
  turn(id: string, terminal: Terminal, prompt: string): Promise<void>
  /** Waits for a state such as `idle` or `waiting:plan`, or for `stopped`, which means that no wrapper runs. */
  until(id: string, state: string): Promise<MissionRecord>
  change(sql: string, ...values: unknown[]): void
}

let standIn: string | undefined

export function wrapperBox(): WrapperBox {
  const box = sandbox()
  const bin = join(box.root, 'bin')
  const claudeHome = join(box.home, '.claude')
  mkdirSync(bin)
  mkdirSync(claudeHome)
  standIn ??= standInClaude(join(projectRoot, 'node_modules', '.cache', 'agenc', `wrapped-${process.pid}`))
  execFileSync('ln', ['-s', standIn, join(bin, 'claude')])
  writeFileSync(join(bin, 'agenc'), `#!/bin/sh\nexec '${process.execPath}' '${agencScript}' "$@"\n`, {
    mode: 0o755,
  })
  Object.assign(box.env, { PATH: `${bin}:${box.env.PATH}`, SHELL: '/bin/sh', PS1: 'ready$ ', ENV: '' })
  const database = join(box.agencHome, 'database.sqlite')
  const query = <T>(sql: string, ...values: unknown[]): T[] => {
    if (!existsSync(database)) return []
    const db = new Sqlite(database, { readonly: true })
    try {
      return db.prepare<unknown[], T>(sql).all(...values)
    } finally {
      db.close()
    }
  }
  const wrapped: WrapperBox = {
    ...box,
    claudeHome,
    run: (args, options = {}) =>
      openTerminal(process.execPath, [agencScript, ...args], {
        env: { ...box.env, ...options.env },
        cwd: box.root,
      }),
    shell: async (options = {}) => {
      const terminal = openTerminal('/bin/bash', ['--norc', '--noprofile', '-i'], {
        env: { ...box.env, ...options.env },
        cwd: box.root,
      })
      await terminal.waitForText('ready$')
      return terminal
    },
    mission: async (...args) => {
      const known = wrapped.records().length
      const terminal = wrapped.run(['mission', 'new', '--blank', ...args])
      const { id } = await waitFor('the mission', () => wrapped.records()[known])
      await wrapped.ready(id).catch(error => {
        throw new Error(`${error.message}\n${terminal.screen()}`)
      })
      return { id, terminal }
    },
    record: id => query<MissionRecord>('SELECT * FROM missions WHERE id = ?', id)[0]!,
    records: () => query<MissionRecord>('SELECT * FROM missions ORDER BY rowid'),
    history: id =>
      query<{ kind: string; data: string }>(
        'SELECT kind, data FROM events WHERE mission_id = ? ORDER BY id',
        id,
      ).map(({ kind, data }) => ({ kind, data: JSON.parse(data) })),
    ready: id =>
      waitFor(`${id} to accept keys`, () => {
        const record = wrapped.record(id)
        const path = join(claudeHome, 'sessions', `${record.claude_pid}.json`)
        if (stateOf(record) !== 'idle') throw new Error(`it is ${stateOf(record)}`)
        return JSON.parse(readFileSync(path, 'utf8')).status === 'idle'
      }).then(() => {}),
    turn: async (id, terminal, prompt) => {
      const rests = () => wrapped.history(id).filter(({ data }) => data.state === 'idle').length
      const before = rests()
      await say(terminal, prompt)
      await waitFor(`the end of the turn after ${prompt}`, () => rests() > before)
      await wrapped.ready(id)
    },
    until: (id, state) =>
      waitFor(`${id} to be ${state}`, () => {
        const record = wrapped.record(id)
        if (stateOf(record) === state) return record
        throw new Error(`it is ${stateOf(record)}`)
      }),
    change: (sql, ...values) => {
      const db = new Sqlite(database)
      db.prepare(sql).run(...values)
      db.close()
    },
  }
  onTestFinished(() => endEverything(wrapped))
  return wrapped
}

function stateOf(record: MissionRecord): string {
  if (record.wrapper_pid === null) return 'stopped'
  return record.waiting_for ? `${record.state}:${record.waiting_for}` : String(record.state)
}

/** Ends the processes in the store, so that none of them writes to the sandbox while it is removed. */
async function endEverything(box: WrapperBox): Promise<void> {
  const wrappers = stillAlive(
    box.records().map(({ wrapper_pid, wrapper_start }) => ({ pid: wrapper_pid, start: wrapper_start })),
  )
  const claudes = stillAlive(
    box.records().map(({ claude_pid, claude_start }) => ({ pid: claude_pid, start: claude_start })),
  )
  for (const { pid } of wrappers) tryKill(pid, 'SIGTERM')
  const isGone = ({ pid }: ProcessIdentity) => !isAlive(pid)
  await waitFor('the wrappers to end', () => wrappers.every(isGone), graceMs).catch(() => {})
  for (const { pid } of [...wrappers, ...claudes]) tryKill(pid, 'SIGKILL')
  await untilGone(...[...wrappers, ...claudes].map(({ pid }) => pid))
}

const graceMs = 3_000
const probe = systemProbe(systemRunner)

/** Compares start times too, because another process may have the pid by now. */
function stillAlive(
  stored: readonly { [key in keyof ProcessIdentity]: ProcessIdentity[key] | null }[],
): ProcessIdentity[] {
  const known = stored.filter((one): one is ProcessIdentity => one.pid !== null && one.start !== null)
  const liveness = probe.liveness(known)
  return known.filter((_, index) => liveness[index] === 'alive')
}

/** Types a prompt, and Enter once the text is on the screen. */
export async function say(terminal: Terminal, text: string): Promise<void> {
  terminal.type(text)
  const tail = text.replace(/\s+/g, '').slice(-15)
  await waitFor(`${text} in the prompt`, () =>
    terminal
      .screen()
      .replace(/[\s\u00a0]+/g, '')
      .includes(tail),
  )
  terminal.type('\r')
}

/** Presses a key until it has worked, because a dialog ignores keys for a moment after it opens. */
export async function press(terminal: Terminal, key: string, hasWorked: () => boolean): Promise<void> {
  await waitFor(`${JSON.stringify(key)} to work`, async () => {
    if (hasWorked()) return true
    terminal.type(key)
    return waitFor('the effect of the key', hasWorked, 400).catch(() => false)
  })
}

export async function answer(box: WrapperBox, id: string, terminal: Terminal, key: string): Promise<void> {
  await press(terminal, key, () => box.record(id).state !== 'waiting')
}
