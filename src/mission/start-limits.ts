import { totalmem } from 'node:os'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { listHeldMissions, listUnstartedMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { shortId } from '../mission-id.ts'
import { agentReposOf } from './agent-rights.ts'
import { statusesOf } from './mission-status.ts'

/** A Claude with its tools. */
const megabytesPerMission = 400
const fewestByMemory = 4
const stopOne = "Stop one with 'agenc mission stop', or wait for one with 'agenc mission wait --until end'."
/** A mission that was created less than this ago, and has not run yet, counts as running. */
const startMs = 60_000

/** How many missions may run at once before no agent, list or loop starts another one. */
export function mostRunning({ missions }: Config): number {
  return missions.max_running ?? mostByMemory(availableMemory())
}

export function mostByMemory(bytes: number): number {
  return Math.max(fewestByMemory, Math.floor(bytes / (megabytesPerMission * 1024 * 1024)))
}

function availableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * Returns a function that throws if `agent` may not start another mission. Call that inside the transaction that adds the
 * mission: several commands at once must not exceed the limits together.
 */
export function limitsForAgent(
  context: Context,
  db: Database,
  agent: MissionRecord,
  config: Config,
): () => void {
  const { max_children, max_depth } = config.missions
  const name = shortId(agent.id)
  if (agentReposOf(agent).length >= max_depth)
    throw limitReached(
      `mission ${name} was started by a chain of ${agentReposOf(agent).length} agents, and cannot start missions itself`,
      'max_depth',
      max_depth,
      'Do the work in this mission, or leave the start to the user.',
    )
  const gone = goneMissions(context, db)
  return () => {
    const running = runningMissions(context, db, gone)
    const children = running.filter(mission => isChildOf(mission, agent))
    if (children.length >= max_children)
      throw limitReached(
        `mission ${name} already has ${countOf(children.length)} running that it has started`,
        'max_children',
        max_children,
        stopOne,
      )
    refuseBeyond(config, running.length)
  }
}

/** Whether the mission was started by this agent, and is not a copy that a person has made. */
export function isChildOf({ parent_id, agent_repos }: MissionRecord, { id }: MissionRecord): boolean {
  return parent_id === id && agent_repos !== null
}

/** For a mission that nobody watches. Throws if so many run already that it must not be started. */
export function refuseUnwatchedStart(context: Context, db: Database, config: Config): void {
  refuseBeyond(config, countRunning(context, db))
}

function refuseBeyond(config: Config, running: number): void {
  const most = mostRunning(config)
  if (running < most) return
  throw limitReached(`${countOf(running)} are already running`, 'max_running', most, stopOne)
}

function limitReached(problem: string, setting: string, limit: number, advice: string): AgencError {
  return new AgencError(problem, `The setting missions.${setting} allows ${limit}. ${advice}`)
}

function countOf(missions: number): string {
  return missions === 1 ? '1 mission' : `${missions} missions`
}

/** How many missions run. */
export function countRunning(context: Context, db: Database): number {
  return runningMissions(context, db, goneMissions(context, db)).length
}

function goneMissions(context: Context, db: Database): Set<string> {
  const held = listHeldMissions(db)
  const statuses = statusesOf(context, held)
  return new Set(held.filter((_, index) => statuses[index] !== 'running').map(({ id }) => id))
}

function runningMissions({ now }: Context, db: Database, gone: ReadonlySet<string>): MissionRecord[] {
  const until = now()
  const since = new Date(until.getTime() - startMs)
  const held = listHeldMissions(db).filter(({ id }) => !gone.has(id))
  return [...held, ...listUnstartedMissions(db, since.toISOString(), until.toISOString())]
}

/** A person is told, and decides. */
export function warnOfMemory(context: Context, db: Database, config: Config): void {
  const most = mostRunning(config)
  if (!context.err.isTerminal || listHeldMissions(db).length < most) return
  const running = countRunning(context, db)
  if (running < most) return
  context.err.line(
    `agenc: ${countOf(running)} are already running, and missions.max_running is ${most}. Each needs about ${megabytesPerMission} MB.`,
  )
}
