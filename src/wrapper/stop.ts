import { preparedConfig } from '../config/prepared.ts'
import type { Context } from '../context.ts'
import { getMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import type { MissionId } from '../mission/id.ts'
import type { MissionRecord } from '../mission/record.ts'
import { leaseHolder } from '../mission/status.ts'
import { type ProcessIdentity, type ProcessProbe, systemProbe } from '../process/identity.ts'
import { endTree, signalPolitely, signalProcesses, waitUntilGone } from '../process/tree.ts'
import { releaseLease } from './lease.ts'

/** How much longer than Claude's own grace period the wrapper may take for its own end. */
const wrapperMs = 3_000
const wakeMs = 250

/** Ends the running ones among these, side by side; afterwards they are gone and the store says so. */
export async function stopMissions(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
  meanwhile: () => void = () => {},
): Promise<void> {
  const probe = systemProbe(context.exec)
  const here = context.env.AGENC_MISSION_UUID
  const others = missions.filter(({ id }) => id !== here).flatMap(held)
  const graceMs = await graceOf(context)
  const wrappers = others.map(({ wrapper }) => wrapper)
  signalPolitely(probe, wrappers, 'SIGTERM')
  meanwhile()
  if (!(await waitAwake(probe, wrappers, graceMs + wrapperMs))) {
    signalProcesses(probe, wrappers, 'SIGKILL')
    await waitUntilGone(probe, wrappers, wrapperMs)
  }
  await Promise.all(others.map(other => cleanUp(context, db, probe, other, graceMs)))
  // From inside a mission its end is also ours: nothing can be done after this.
  const own = missions.filter(({ id }) => id === here).flatMap(held)[0]
  if (own) signalPolitely(probe, [own.wrapper], 'SIGTERM')
}

interface Held {
  id: MissionId
  wrapper: ProcessIdentity
}

function held(mission: MissionRecord): Held[] {
  const wrapper = leaseHolder(mission)
  return wrapper === null ? [] : [{ id: mission.id, wrapper }]
}

/** What a wrapper that was killed, now or long ago, could not do itself. */
async function cleanUp(
  context: Context,
  db: Database,
  probe: ProcessProbe,
  { id, wrapper }: Held,
  graceMs: number,
): Promise<void> {
  await endLeftoverClaude(context, probe, getMission(db, id), graceMs)
  clearLease(context, db, id, wrapper)
}

async function graceOf({ paths }: Context): Promise<number> {
  return (await preparedConfig(paths)).stop.grace_ms
}

/** Woken up in the background of a shell, Claude wants the terminal, and the kernel suspends both again. */
async function waitAwake(
  probe: ProcessProbe,
  wrappers: readonly ProcessIdentity[],
  timeoutMs: number,
): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    if (await waitUntilGone(probe, wrappers, wakeMs)) return true
    const suspended = wrappers.filter(({ pid }) => probe.isSuspended(pid))
    signalProcesses(probe, suspended, 'SIGCONT')
  }
  return false
}

async function endLeftoverClaude(
  context: Context,
  probe: ProcessProbe,
  mission: MissionRecord | undefined,
  graceMs: number,
): Promise<void> {
  if (!mission || mission.claude_pid === null || mission.claude_start === null) return
  const claude = { pid: mission.claude_pid, start: mission.claude_start }
  await endTree(context.exec, probe, claude, 'SIGTERM', graceMs)
}

/** A wrapper that had to be killed could not say goodbye: its end was still somebody's will. */
function clearLease(context: Context, db: Database, id: MissionId, wrapper: ProcessIdentity): void {
  const now = getMission(db, id)
  if (now?.wrapper_pid !== wrapper.pid || now.wrapper_start !== wrapper.start) return
  releaseLease(db, id, { code: null, signal: 'SIGKILL', isLost: false }, context.now())
}

/** A mission that was lost and is not wanted back: nothing of it runs any more, and `restore` leaves it alone. */
export async function dismissLost(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  const graceMs = await graceOf(context)
  await endLeftoverClaude(context, systemProbe(context.exec), mission, graceMs)
  const signal = mission.exit_signal as NodeJS.Signals | null
  releaseLease(db, mission.id, { code: mission.exit_code, signal, isLost: false }, context.now())
}
