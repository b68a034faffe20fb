import { stopGraceMs } from '../config/read.ts'
import type { Context } from '../context.ts'
import { leaseHolder, listHeldMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { StatusLine } from '../io/status-line.ts'
import { isGone } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { type StoredEnding, withEnding, writeNote } from '../mission/wrapper-note.ts'
import { shortId } from '../mission-id.ts'
import {
  isSameProcess,
  type ProcessIdentity,
  type ProcessProbe,
  systemProbe,
} from '../system/process-identity.ts'
import { signalPolitely, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { releaseLease } from './lease.ts'
import { endOrphanedClaude } from './orphaned-claude.ts'

/** How much longer than Claude's grace period a wrapper may take to end. */
const wrapperMs = 3_000
const wakeMs = 250

/**
 * Ends all given missions that are running, in parallel, and the Claudes that killed wrappers left behind. When it resolves, their processes are gone and the store is up
 * to date. Resolves to the missions that may still run, for instance in another container.
 */
export async function stopMissions(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
  probe = systemProbe(context.exec),
): Promise<MissionRecord[]> {
  const here = context.env.AGENC_MISSION_UUID
  const others = missions.filter(({ id }) => id !== here).flatMap(held)
  const graceMs = await stopGraceMs(context.paths)
  const wrappers = inSight(
    probe,
    others.map(({ wrapper }) => wrapper),
  )
  signalPolitely(probe, wrappers, 'SIGTERM')
  const status = new StatusLine(context.err)
  if (!(await waitAwake(probe, wrappers, graceMs + wrapperMs, status))) {
    signalProcesses(probe, wrappers, 'SIGKILL')
    await waitUntilGone(probe, wrappers, wrapperMs)
  }
  status.clear()
  const left = stillHeld(context, db, others)
  const areGone = await Promise.all(left.map(one => cleanUp(context, db, probe, one, graceMs)))
  // If this command runs inside a mission, it ends together with that mission. So that mission comes last.
  const own = missions.filter(({ id }) => id === here).flatMap(held)[0]
  if (own) signalPolitely(probe, [own.wrapper], 'SIGTERM')
  const alive = new Set(left.filter((_, index) => !areGone[index]).map(({ mission }) => mission.id))
  for (const mission of missions.filter(one => leaseHolder(one) === null))
    if (!(await endOrphanedClaude(context, probe, mission, 'SIGTERM', graceMs))) alive.add(mission.id)
  return missions.filter(({ id }) => alive.has(id))
}

interface Held {
  mission: MissionRecord
  wrapper: ProcessIdentity
}

function held(mission: MissionRecord): Held[] {
  const wrapper = leaseHolder(mission)
  return wrapper === null ? [] : [{ mission, wrapper }]
}

/** Skips invisible processes, for instance in another container, because their end cannot be seen either. */
function inSight(probe: ProcessProbe, wrappers: readonly ProcessIdentity[]): ProcessIdentity[] {
  const states = probe.liveness(wrappers)
  return wrappers.filter((_, index) => states[index] === 'alive' || states[index] === 'dead')
}

/** The missions whose wrapper did not release its lease. Excludes leases that a new wrapper has taken since. */
function stillHeld({ paths }: Context, db: Database, before: readonly Held[]): Held[] {
  const wrappers = new Map(before.map(({ mission, wrapper }) => [mission.id, wrapper]))
  return listHeldMissions(db)
    .flatMap(mission => held(withEnding(paths, mission)))
    .filter(({ mission, wrapper }) => isSameProcess(wrapper, wrappers.get(mission.id) ?? null))
}

/** Cleans up for a killed wrapper. Resolves to false if the wrapper or its Claude may still be alive. */
async function cleanUp(
  context: Context,
  db: Database,
  probe: ProcessProbe,
  { mission, wrapper }: Held,
  graceMs: number,
): Promise<boolean> {
  if (!(await endOrphanedClaude(context, probe, mission, 'SIGTERM', graceMs))) return false
  if (!isGone(probe.liveness([wrapper])[0]!, mission, context.now())) return false
  const ending = { why: 'stopped', code: null, signal: 'SIGKILL' } as const
  try {
    releaseLease({ db, missions: missionService(context, db) }, mission.id, wrapper, ending)
  } catch (error) {
    const ended = { ...ending, at: context.now().toISOString() }
    if (!writeNote(context.paths.mission(mission.id).wrapperNote, { wrapper, ended })) throw error
  }
  return true
}

/** Wakes wrappers up again and again: the kernel suspends them whenever a background Claude uses the terminal. */
async function waitAwake(
  probe: ProcessProbe,
  wrappers: readonly ProcessIdentity[],
  timeoutMs: number,
  status: StatusLine,
): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    if (await waitUntilGone(probe, wrappers, wakeMs)) return true
    const left = probe.liveness(wrappers).filter(state => state !== 'dead').length
    status.show(`${left} of ${wrappers.length} still ending`)
    const suspended = wrappers.filter(({ pid }) => probe.isSuspended(pid))
    signalProcesses(probe, suspended, 'SIGCONT')
  }
  return false
}

/**
 * Marks a lost mission as stopped, so that `restore` leaves it alone. Resolves to false if its Claude cannot be ended, or
 * if it was restored in the meantime.
 */
export async function dismissLost(
  context: Context,
  db: Database,
  mission: MissionRecord,
  probe = systemProbe(context.exec),
): Promise<boolean> {
  if (!(await endOrphanedClaude(context, probe, mission, 'SIGTERM', await stopGraceMs(context.paths))))
    return false
  const signal = mission.exit_signal as NodeJS.Signals | null
  const missions = missionService(context, db)
  const ending: StoredEnding = { why: 'stopped', code: mission.exit_code, signal }
  return releaseLease({ db, missions }, mission.id, leaseHolder(mission), ending)
}

/**
 * Ends the Claude of a mission that has no wrapper. Throws if it cannot be ended, because a mission that is deleted would
 * leave no trace of it.
 */
export async function endClaudeLeftBehind(
  context: Context,
  mission: MissionRecord,
  probe = systemProbe(context.exec),
): Promise<void> {
  const graceMs = await stopGraceMs(context.paths)
  if (!(await endOrphanedClaude(context, probe, mission, 'SIGTERM', graceMs))) throw claudeStillRuns(mission)
}

/** Throws if the mission's Claude may be alive. */
export function refuseLiveClaude(
  context: Context,
  mission: MissionRecord,
  probe = systemProbe(context.exec),
): void {
  const { claude_pid: pid, claude_start: start } = mission
  if (pid === null || start === null) return
  if (!isGone(probe.liveness([{ pid, start }])[0]!, mission, context.now())) throw claudeStillRuns(mission)
}

function claudeStillRuns({ id, claude_pid }: MissionRecord): AgencError {
  return new AgencError(
    `the Claude of ${shortId(id)} may still be running (process ${claude_pid}) and cannot be ended from here`,
    'End that process, then try again. If /proc cannot be read here, make it readable.',
  )
}

export function stillRunning(missions: readonly MissionRecord[]): AgencError {
  const ids = missions.map(({ id }) => shortId(id))
  return new AgencError(
    `cannot be stopped from here: ${ids.join(', ')}`,
    `If it runs in another container, stop it there. If /proc cannot be read here, make it readable. List its processes with: agenc mission show ${ids[0]}`,
  )
}
