import { defaultConfig, readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { getMission } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { statusNow } from '../mission/mission-status.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { surfaceFor, surfaceHere } from '../surface/choose-surface.ts'
import { askToResume, errorLines, exitCodeOfError, showError } from '../surface/error-screen.ts'
import type { Surface } from '../surface/surface.ts'
import { hasOwnTerminal } from '../surface/terminal.ts'
import type { ProcessIdentity } from '../system/process-identity.ts'
import { reraiseSignal } from '../system/signals.ts'
import { describeEnding, type Ending, exitCodeOf, mustBeRead } from './ending.ts'
import { isFinal } from './lease.ts'
import { runNotifyCommand } from './notify-command.ts'
import { runMission } from './run-mission.ts'

interface Options {
  /** The process that opened this window. It may have reserved the lease for this one. */
  opener?: ProcessIdentity | null
  /** The wrapper that ran in this window before was killed. */
  wasKilled?: boolean
  /** True if the mission is for this terminal, even if it ran without one before. */
  isOnTerminal?: boolean
}

/** Runs a mission in the window or terminal of this process. Resolves to the exit code. */
export async function runHere(
  context: Context,
  id: MissionId,
  { opener = null, wasKilled = false, isOnTerminal = false }: Options = {},
): Promise<number> {
  if (hasOwnTerminal()) return runInOwnTerminal(context, id, opener, wasKilled)
  const config = await readConfig(context.paths)
  const mission = isOnTerminal ? null : await readStore(context, db => db && getMission(db, id))
  const surface = mission ? surfaceFor(context, config, mission) : surfaceHere(context, config)
  const ending = await runMission(context, id, config, surface, opener).catch(error =>
    surface.isHeadless ? failHeadless(context, config, surface, id, error) : Promise.reject(error),
  )
  if (mustBeRead(ending)) {
    await tellUser(context, config, surface, id, [`agenc: ${describeEnding(ending)}`])
    context.err.line(`Resume it with: agenc mission resume ${shortId(id)}`)
  }
  return exitCodeOf(ending)
}

/** Nobody sees the message. It is the result of the mission, and in the wrapper's log. */
async function failHeadless(
  context: Context,
  config: Config,
  surface: Surface,
  id: MissionId,
  error: unknown,
): Promise<never> {
  if (!isFinal(error)) await tellUser(context, config, surface, id, [])
  throw error
}

/** Why a run ended other than by the user's will. */
interface Crash {
  lines: string[]
  exitCode: number
}

/** The terminal closes with this process, so it stays until the user has read why the mission ended. */
async function runInOwnTerminal(
  context: Context,
  id: MissionId,
  opener: ProcessIdentity | null,
  wasKilled: boolean,
): Promise<number> {
  const config = await readConfig(context.paths).catch(() => defaultConfig)
  const surface = surfaceHere(context, config)
  let crash = wasKilled ? await crashOfWrapper(context, id) : null
  if (wasKilled && crash === null) return leaveQuietly(surface)
  for (;;) {
    if (crash === null) {
      try {
        const ending = await runMission(context, id, await readConfig(context.paths), surface, opener)
        if (!mustBeRead(ending)) return leave(surface, ending)
        const advice = await adviceOn(ending, context, id, config)
        crash = { lines: [`\nagenc: ${describeEnding(ending)}`, ...advice], exitCode: exitCodeOf(ending) }
      } catch (error) {
        if (isFinal(error)) return leaveToOthers(context, surface, error)
        crash = { lines: errorLines(context, error), exitCode: exitCodeOfError(error) }
      }
    }
    await tellUser(context, config, surface, id, crash.lines)
    const answer = await askToResume(context)
    if (answer === 'close') surface.leave({ isStopped: false })
    if (answer !== 'resume') return crash.exitCode
    crash = null
    opener = null
  }
}

function leave(surface: Surface, ending: Ending): number {
  surface.leave({ isStopped: ending.why === 'stopped' })
  dieOfSignal(surface, ending)
  return exitCodeOf(ending)
}

/** Another process runs the mission, or it has been deleted. */
async function leaveToOthers(context: Context, surface: Surface, error: unknown): Promise<number> {
  surface.abandon()
  const exitCode = await showError(context, error)
  surface.leave({ isStopped: false })
  return exitCode
}

function leaveQuietly(surface: Surface): number {
  surface.leave({ isStopped: true })
  return 0
}

/** Null if the wrapper stored why it ended, or if the mission runs again. If the store cannot be read, nothing is known. */
async function crashOfWrapper(context: Context, id: MissionId): Promise<Crash | null> {
  const isKnown = await readStore(context, db => {
    const mission = db && getMission(db, id)
    return !mission || statusNow(context, mission) !== 'crashed'
  }).catch(() => false)
  if (isKnown) return null
  return { lines: ['agenc: This mission was killed. Its conversation is safe.'], exitCode: 137 }
}

async function tellUser(
  context: Context,
  { notify }: Config,
  surface: Surface,
  id: MissionId,
  lines: readonly string[],
): Promise<void> {
  for (const text of lines) context.err.line(text)
  const mission = await readStore(context, db => db && getMission(db, id)).catch(() => undefined)
  if (!mission) return
  const isWatched = surface.show(mission, { state: 'crashed', waitingFor: null, isDone: false })
  if (isWatched === false) surface.alert('has crashed')
  if (notify.command)
    runNotifyCommand(context, notify.command, mission, { state: 'crashed', waitingFor: null })
}

/** Advice must not keep the user from seeing the failure itself. */
async function adviceOn({ why }: Ending, context: Context, id: MissionId, config: Config): Promise<string[]> {
  if (why !== 'failed') return []
  const { adviceAfterFailedStart } = await import('./failed-start.ts')
  return adviceAfterFailedStart(context, id, config).catch(() => [])
}

/** Dies of the signal only if Claude did too. Claude may have ended by itself at the same moment. */
function dieOfSignal({ diesOfSignals }: Surface, ending: Ending): void {
  const { received } = ending
  const isSame = received !== null && exitCodeOf(ending) === exitCodeOf({ code: null, signal: received })
  if (diesOfSignals && isSame) reraiseSignal(received)
}
