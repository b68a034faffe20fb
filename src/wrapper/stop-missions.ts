import { stopGraceMs } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { listHeldMissions } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { StatusLine } from '../io/status-line.ts'
import { isGone, leaseHolder } from '../mission/mission-status.ts'
import { shortId } from '../mission-id.ts'
import {
  isSameProcess,
  type ProcessIdentity,
  type ProcessProbe,
  systemProbe,
} from '../system/process-identity.ts'
import { signalPolitely, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { releaseLease } from './lease.ts'
import { endLeftoverClaude } from './orphaned-claude.ts'

/** How much longer than Claude's own grace period the wrapper may take for its own end. */
const wrapperMs = 3_000
const wakeMs = 250

/**
 * Ends the running ones among these, side by side; afterwards they are gone and the store says so. Resolves to those
 * that may still run: in another container, for instance.
 */
export async function stopMissions(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
): Promise<MissionRecord[]> {
  const probe = systemProbe(context.exec)
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
  const left = stillHeld(db, others)
  const areGone = await Promise.all(left.map(one => cleanUp(context, db, probe, one, graceMs)))
  // From inside a mission its end is also ours: nothing can be done after this.
  const own = missions.filter(({ id }) => id === here).flatMap(held)[0]
  if (own) signalPolitely(probe, [own.wrapper], 'SIGTERM')
  const alive = new Set(left.filter((_, index) => !areGone[index]).map(({ mission }) => mission.id))
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

/** Nobody sees the others end, however long they are waited for. */
function inSight(probe: ProcessProbe, wrappers: readonly ProcessIdentity[]): ProcessIdentity[] {
  const states = probe.liveness(wrappers)
  return wrappers.filter((_, index) => states[index] !== 'unknown')
}

/** Those whose wrapper has not said goodbye itself, as they are now. Others may be held anew, by somebody else. */
function stillHeld(db: Database, before: readonly Held[]): Held[] {
  const wrappers = new Map(before.map(({ mission, wrapper }) => [mission.id, wrapper]))
  return listHeldMissions(db)
    .flatMap(held)
    .filter(({ mission, wrapper }) => isSameProcess(wrapper, wrappers.get(mission.id) ?? null))
}

/** What a wrapper that was killed, now or long ago, could not do itself. false: it or its Claude may still live. */
async function cleanUp(
  context: Context,
  db: Database,
  probe: ProcessProbe,
  { mission, wrapper }: Held,
  graceMs: number,
): Promise<boolean> {
  if (!(await endLeftoverClaude(context, probe, mission, 'SIGTERM', graceMs))) return false
  if (!isGone(probe.liveness([wrapper])[0]!, mission, context.now())) return false
  // A wrapper that had to be killed could not say goodbye: its end was still somebody's will.
  releaseLease(db, mission.id, wrapper, { code: null, signal: 'SIGKILL', isLost: false }, context.now())
  return true
}

/** Woken up in the background of a shell, Claude wants the terminal, and the kernel suspends both again. */
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
 * A mission that was lost and is not wanted back: nothing of it runs any more, and `restore` leaves it alone. false:
 * its Claude cannot be ended, or somebody has brought it back meanwhile.
 */
export async function dismissLost(context: Context, db: Database, mission: MissionRecord): Promise<boolean> {
  const probe = systemProbe(context.exec)
  if (!(await endLeftoverClaude(context, probe, mission, 'SIGTERM', await stopGraceMs(context.paths))))
    return false
  const signal = mission.exit_signal as NodeJS.Signals | null
  const ending = { code: mission.exit_code, signal, isLost: false }
  return releaseLease(db, mission.id, leaseHolder(mission), ending, context.now())
}

export function stillRunning(missions: readonly MissionRecord[]): AgencError {
  const ids = missions.map(({ id }) => shortId(id))
  return new AgencError(
    `could not be stopped from here: ${ids.join(', ')}`,
    `In another container? Stop it there. Its processes: agenc mission show ${ids[0]}`,
  )
}
