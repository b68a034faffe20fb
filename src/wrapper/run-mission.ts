import { existsSync } from 'node:fs'
import type { Agent } from '../claude/agent.ts'
import { headlessClaude } from '../claude/headless.ts'
import { interactiveClaude } from '../claude/interactive.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { explainStoreError } from '../db/explain-error.ts'
import { type FollowedStore, openFollowedStore } from '../db/followed-store.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import { type Database, setPatience } from '../db/open-store.ts'
import { makePrivateDirectory, removeFile, sweepDrafts, sweepDraftsIn } from '../io/files.ts'
import { cleanLines } from '../io/text.ts'
import type { TimedEnding } from '../mission/end-lease.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import { heartbeatMs } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import type { MissionService } from '../mission/service.ts'
import { reserveNote, type StoredEnding, writeNote } from '../mission/wrapper-note.ts'
import type { MissionId } from '../mission-id.ts'
import type { MissionPaths } from '../paths.ts'
import { errorLines, waitForEnter } from '../surface/error-screen.ts'
import type { Surface } from '../surface/surface.ts'
import { type Guard, postGuard } from '../system/guard.ts'
import {
  ownIdentity,
  type ProcessIdentity,
  type ProcessProbe,
  systemProbe,
} from '../system/process-identity.ts'
import { endClaudeOfEarlierRun, setUpRepo } from './before-claude.ts'
import { checkGivenDirectory } from './check-directory.ts'
import { describeEnding, type Ending, mustBeRead } from './ending.ts'
import { storeFollower } from './follow-store.ts'
import { givePorts } from './give-ports.ts'
import { beat, failedStart, giveUpLease, releaseLease, takeLease } from './lease.ts'
import { type Log, openLog } from './log.ts'
import { makeOrderedCopy } from './make-copy.ts'
import { rebuildCopy } from './rebuild-copy.ts'
import { RestartLoop } from './restart-loop.ts'
import { failedResult, resultColumns } from './result-columns.ts'
import { writeShellPlace } from './shell-place.ts'
import { SignalListener } from './signal-policy.ts'

const retryMs = 1_000
/** Node's timers cannot wait longer. */
const longestMs = 2 ** 31 - 1

/** Shared by all parts of the wrapper. */
export interface Run {
  context: Context
  id: MissionId
  agent: Agent
  surface: Surface
  db: Database
  missions: MissionService
  signals: SignalListener
  probe: ProcessProbe
  log: Log
  /** Call it from time to time: the store may have been lost and replaced. */
  followStore: () => Promise<void>
}

/** Runs one mission on this surface until its Claude ends. `opener` may have reserved the lease for this process. */
export async function runMission(
  context: Context,
  id: MissionId,
  config: Config,
  surface: Surface,
  opener: ProcessIdentity | null,
): Promise<Ending> {
  const signals = new SignalListener(surface.isHeadless ? ['SIGHUP'] : [])
  const log = openLog(context.paths.mission(id).wrapperLog, context.now)
  const store = await openFollowedStore(context.paths.database)
  const { db } = store
  try {
    const directory = missionDirectory(context.paths, getMission(db, id) ?? { id, dir: null })
    const run: Run = {
      context,
      id,
      agent: (surface.isHeadless ? headlessClaude : interactiveClaude)(context, id, directory),
      surface,
      db,
      missions: missionService(context, db, log),
      signals,
      probe: systemProbe(context.exec),
      log,
      followStore: async () => {},
    }
    return await runUnderLease(run, store, config, opener)
  } catch (error) {
    throw explainStoreError(context.paths.database, error)
  } finally {
    db.close()
    signals.close()
  }
}

async function runUnderLease(
  run: Run,
  store: FollowedStore,
  config: Config,
  opener: ProcessIdentity | null,
): Promise<Ending> {
  const { context, id, signals, probe, surface } = run
  const own = ownIdentity(probe)
  const paths = context.paths.mission(id)
  makePrivateDirectory(paths.run)
  reserveNote(paths.wrapperNote)
  const before = takeLease(run, id, own, probe, context.now(), opener)
  writeNote(paths.wrapperNote, { wrapper: own, ended: null })
  // The user may have started it in the window where it ran before.
  if (before.headless === 1 && !surface.isHeadless) run.missions.change(id, { headless: 0 })
  sweepDraftsIn(paths.run)
  sweepDrafts(paths.lastMessage)
  run.followStore = storeFollower(store, run.missions, id, run.log)
  const loop = new RestartLoop(run, config)
  const heart = setInterval(async () => {
    await run.followStore()
    tryToBeat(run)
    loop.tryAgain()
  }, heartbeatMs)
  let guard: Guard | null = null
  let ending: Ending | null = null
  try {
    const fifos = [paths.wakeup, paths.lifeSign] as const
    guard = postGuard(context.exec, [...context.self, 'mission', '_reap', id], context.env, fifos)
    await endClaudeOfEarlierRun(run, before, config)
    await makeOrderedCopy(run, before, config)
    await rebuildCopy(run, run.missions.get(id) ?? before, config)
    enterDirectory(paths)
    checkGivenDirectory(run, before)
    await givePorts(run, before, config)
    const mission = run.missions.get(id) ?? before
    writeShellPlace(context.paths, mission)
    await setUpRepo(run, mission, config, guard)
    ending = await loop.run()
    if (mustBeRead(ending) && !hasResultOfLastTurn(run, ending))
      keepFailure(run, `${describeEnding(ending)} Its output is in ${paths.outputLog}`)
    return ending
  } catch (error) {
    keepFailure(run, errorLines(context, error).join(' '))
    throw error
  } finally {
    clearInterval(heart)
    const closesWithUs = signals.received !== null && surface.diesOfSignals
    if (ending?.signal && !closesWithUs) surface.restore()
    if (ending) {
      if (await endRun(run, own, ending)) void guard?.dismiss()
    } else await giveUp(run, before, own, guard)
  }
}

/** A Claude that is killed while it has nothing to do has done its work. */
function hasResultOfLastTurn({ missions, id }: Run, { why }: Ending): boolean {
  const { state, result } = missions.get(id) ?? {}
  return why === 'lost' && state === 'idle' && result !== null
}

/** Without a terminal, the result is the place where the user sees why the mission failed. */
function keepFailure({ surface, missions, id, context, log }: Run, text: string): void {
  if (!surface.isHeadless) return
  try {
    missions.change(id, resultColumns(failedResult(text), context.now()))
  } catch (error) {
    log(`${text} (not stored: ${String(error)})`)
  }
}

/** The window may have been opened before the working copy was there. tmux asks this process where it is. */
function enterDirectory({ root, agent }: MissionPaths): void {
  if (process.cwd() === root && existsSync(agent)) process.chdir(agent)
}

/** Cleans up after a failed start. The FIFO is removed first: once the lease ends, it may belong to another wrapper. */
async function giveUp(
  run: Run,
  before: MissionRecord,
  own: ProcessIdentity,
  guard: Guard | null,
): Promise<void> {
  await guard?.dismiss()
  try {
    removeFile(run.context.paths.mission(run.id).wakeup)
  } catch {
    // An unwritable directory may be the reason for the failed start, so ignore errors here.
  }
  const ended = noteEnding(run, own, failedStart(before))
  try {
    giveUpLease(run, before, own, ended)
  } catch (error) {
    run.log(`the end is not stored yet: ${String(error)}`)
  }
}

/**
 * Ends the lease. If the store cannot be written, the note tells that the run has ended, and another process stores it
 * later. Resolves to whether it is stored.
 */
async function endRun(run: Run, own: ProcessIdentity, ending: Ending): Promise<boolean> {
  const ended = noteEnding(run, own, ending)
  await run.followStore()
  try {
    releaseLease(run, run.id, own, ended)
    return true
  } catch (error) {
    run.log(`the end is not stored yet: ${String(error)}`)
    if (ended.isNoted) return false
    if (run.signals.received !== null) throw error
    await storeFromMemory(run, own, ended, error as Error)
    return true
  }
}

/** The note comes before the store, because writing it needs neither free space nor a lock. */
function noteEnding({ context, id }: Run, wrapper: ProcessIdentity, { why, code, signal }: StoredEnding) {
  const ended = { why, code, signal, at: context.now().toISOString() }
  return { ...ended, isNoted: writeNote(context.paths.mission(id).wrapperNote, { wrapper, ended }) }
}

/** Only this process knows the ending, so it tries to store it until the user closes the window. */
async function storeFromMemory(
  run: Run,
  own: ProcessIdentity,
  ended: TimedEnding,
  problem: Error,
): Promise<void> {
  const { context, db, id, surface, signals } = run
  context.err.line(`agenc: the end of this mission cannot be stored: ${cleanLines(problem.message)}`)
  context.err.line('agenc tries again every second. Until then the mission looks as if it were running.')
  setPatience(db, 0)
  let timer: NodeJS.Timeout | undefined
  const stored = new Promise<void>(resolve => {
    timer = setInterval(() => {
      try {
        releaseLease(run, id, own, ended)
        resolve()
      } catch {
        // It is tried again.
      }
    }, retryMs)
  })
  const closing = surface.isHeadless ? signals.arrivesWithin(longestMs) : waitForEnter(context)
  const closed = closing.then(() => Promise.reject(problem))
  await Promise.race([stored, closed]).finally(() => clearInterval(timer))
}

/** A store that is busy for a moment may cost a heartbeat, but must not end the mission. */
function tryToBeat({ missions, id, context, log }: Run): void {
  try {
    beat(missions, id, context.now())
  } catch (error) {
    log(`no heartbeat: ${(error as Error).message}`)
  }
}
