import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { MissionRecord } from '../../src/db/missions.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { type MissionPaths, pathsAt } from '../../src/paths.ts'
import { type SessionBox, sessionBox, type WindowRow } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'
import { type ClaudeKinds, claudeKinds } from './injectors/claude-kinds.ts'

/** A session whose store, windows and conversations can be read without agenc. */
export interface ObservedBox extends SessionBox {
  database: string
  temporary: string
  paths(id: string): MissionPaths
  /** Rows of the store, read without the CLI. */
  query<T>(sql: string, ...values: unknown[]): T[]
  record(id: string): MissionRecord
  /** Waits until the store has the mission in this state, such as `idle`. */
  until(id: string, state: string): Promise<MissionRecord>
  /** The windows of the session. None if tmux does not run. */
  openWindows(): WindowRow[]
  screen(window: string): string
  /** Starts a mission from that window and resolves to its id, without waiting for its Claude. */
  newMission(from: string, ...args: string[]): Promise<string>
  /** The prompts in the mission's conversation, as Claude keeps it. */
  promptsOf(id: string): string[]
  serverPid(): number
}

/** An observed session with a Claude that can be told to misbehave. */
export interface FaultBox extends ObservedBox {
  kinds: ClaudeKinds
}

export function faultBox(): FaultBox {
  const box = observedBox(sessionBox())
  return { ...box, kinds: claudeKinds(box) }
}

export function observedBox(box: SessionBox): ObservedBox {
  const temporary = join(box.root, 'tmp')
  const database = join(box.agencHome, 'database.sqlite')
  mkdirSync(temporary)
  Object.assign(box.env, { TMPDIR: temporary })
  const observed: ObservedBox = {
    ...box,
    database,
    temporary,
    paths: id => pathsAt(box.agencHome).mission(id as MissionId),
    query: (sql, ...values) => query(database, sql, values),
    record: id => observed.query<MissionRecord>('SELECT * FROM missions WHERE id = ?', id)[0]!,
    until: (id, state) =>
      waitFor(`${id} to be ${state}`, () => {
        const record = observed.record(id)
        if (record.state === state) return record
        throw new Error(`it is ${record.state}`)
      }),
    openWindows: () => {
      try {
        return box.windows()
      } catch {
        return []
      }
    },
    screen: window => box.tmux('capture-pane', '-p', '-t', window),
    newMission: async (from, ...args) => {
      const made = await box.agencAsync(['mission', 'new', '--blank', '--no-focus', ...args], {
        env: box.inside(from),
      })
      if (made.exitCode !== 0) throw new Error(made.stderr)
      return made.stdout.trim()
    },
    promptsOf: id => promptsIn(box.home, observed.record(id).session_id),
    serverPid: () => Number(box.tmux('display-message', '-p', '#{pid}')),
  }
  return observed
}

function query<T>(database: string, sql: string, values: readonly unknown[]): T[] {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare<unknown[], T>(sql).all(...values)
  } finally {
    db.close()
  }
}

function promptsIn(home: string, sessionId: string): string[] {
  const projects = join(home, '.claude', 'projects')
  const files = filesBelow(projects).filter(name => name.endsWith(`${sessionId}.jsonl`))
  return files.flatMap(file =>
    readFileSync(join(projects, file), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
      .filter(({ type, isMeta }) => type === 'user' && !isMeta)
      .flatMap(({ message }) => textsIn(message.content))
      // Claude's own note about a turn that did not finish.
      .filter(text => !text.startsWith('[Request interrupted by user')),
  )
}

/** Results of tools have no text of their own. */
function textsIn(content: string | { type: string; text?: string }[]): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

function filesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}
