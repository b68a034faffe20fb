import { readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionId } from '../mission-id.ts'
import { surfaceHere } from '../surface/choose-surface.ts'
import { showError, waitForEnter } from '../surface/error-screen.ts'
import type { Surface } from '../surface/surface.ts'
import { hasOwnTerminal } from '../surface/terminal.ts'
import type { ProcessIdentity } from '../system/process-identity.ts'
import { reraiseSignal } from '../system/signals.ts'
import { describeEnding, type Ending, exitCodeOf, mustBeRead } from './ending.ts'
import { runMission } from './run-mission.ts'

/**
 * Runs a mission in the window or terminal of this process. Resolves to the exit code. `opener` is the process that opened
 * this window.
 */
export async function runHere(
  context: Context,
  id: MissionId,
  opener: ProcessIdentity | null = null,
): Promise<number> {
  if (hasOwnTerminal()) return runInOwnTerminal(context, id, opener)
  const config = await readConfig(context.paths)
  return exitCodeOf(await runMission(context, id, config, surfaceHere(context, config), opener))
}

/** The terminal closes with this process, so errors stay on the screen until the user presses Enter. */
async function runInOwnTerminal(
  context: Context,
  id: MissionId,
  opener: ProcessIdentity | null,
): Promise<number> {
  let surface: Surface | null = null
  try {
    const config = await readConfig(context.paths)
    surface = surfaceHere(context, config)
    const ending = await runMission(context, id, config, surface, opener)
    if (mustBeRead(ending)) {
      surface.abandon()
      context.err.line(`\nagenc: ${describeEnding(ending)}`)
      if (ending.why === 'failed') await showAdvice(context, id, config)
      await waitForEnter(context)
    }
    surface.leave({ isStopped: ending.why === 'stopped' })
    dieOfSignal(surface, ending)
    return exitCodeOf(ending)
  } catch (error) {
    surface?.abandon()
    const exitCode = await showError(context, error)
    surface?.leave({ isStopped: false })
    return exitCode
  }
}

/** Advice must not keep the user from seeing the failure itself. */
async function showAdvice(context: Context, id: MissionId, config: Config): Promise<void> {
  const { adviceAfterFailedStart } = await import('./failed-start.ts')
  const advice = await adviceAfterFailedStart(context, id, config).catch(() => [])
  for (const line of advice) context.err.line(line)
}

/** Dies of the signal only if Claude did too. Claude may have ended by itself at the same moment. */
function dieOfSignal({ diesOfSignals }: Surface, ending: Ending): void {
  const { received } = ending
  const isSame = received !== null && exitCodeOf(ending) === exitCodeOf({ code: null, signal: received })
  if (diesOfSignals && isSame) reraiseSignal(received)
}
