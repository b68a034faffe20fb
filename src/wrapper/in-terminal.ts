import { preparedConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionId } from '../mission-id.ts'
import { pressEnter, showUntilRead } from '../surface/error-screen.ts'
import { hasOwnTerminal } from '../surface/terminal.ts'
import { MissionWindow } from '../surface/tmux-window.ts'
import { reraiseSignal } from '../system/signals.ts'
import { runMission } from './run-mission.ts'
import { exitCodeFor } from './signal-policy.ts'

/** Runs a mission in this terminal, and where that is a window of its own, leaves it as it should be left. */
export async function runInTerminal(context: Context, id: MissionId): Promise<number> {
  const settings = preparedConfig(context.paths)
  if (!hasOwnTerminal()) return (await runMission(context, id, await settings, null)).exitCode
  let window: MissionWindow | null = null
  try {
    const config = await settings
    window = MissionWindow.of(context, config)
    const { exitCode, failedEarly, received } = await runMission(context, id, config, window)
    if (failedEarly) {
      window?.giveUp()
      context.err.line(`\nagenc: Claude ended at once, with exit code ${exitCode}.`)
      await pressEnter(context)
    }
    // Ended by a command, not by leaving: nobody is to be moved.
    window?.leave({ isStopped: received === 'SIGTERM' || received === 'SIGINT' })
    // Elsewhere somebody may wait for an exit code.
    if (window && received && exitCode === exitCodeFor(null, received)) reraiseSignal(received)
    return exitCode
  } catch (error) {
    window?.giveUp()
    const exitCode = await showUntilRead(context, error)
    window?.leave({ isStopped: false })
    return exitCode
  }
}
