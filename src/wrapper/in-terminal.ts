import { preparedConfig } from '../config/prepared.ts'
import type { Context } from '../context.ts'
import type { MissionId } from '../mission/id.ts'
import { MissionWindow } from '../tmux/mission-window.ts'
import { runMission } from './run.ts'
import { hasOwnTerminal } from './terminal.ts'
import { pressEnter, showUntilRead } from './until-read.ts'

/** Runs a mission in this terminal, and where that is a window of its own, leaves it as it should be left. */
export async function runInTerminal(context: Context, id: MissionId): Promise<number> {
  const settings = preparedConfig(context.paths)
  if (!hasOwnTerminal()) return (await runMission(context, id, await settings, null)).exitCode
  let window: MissionWindow | null = null
  try {
    const config = await settings
    window = MissionWindow.of(context, config)
    const { exitCode, failedEarly, wasStopped } = await runMission(context, id, config, window)
    if (failedEarly) {
      window?.giveUp()
      context.err.line(`\nagenc: Claude ended at once, with exit code ${exitCode}.`)
      await pressEnter(context)
    }
    window?.leave({ isStopped: wasStopped })
    return exitCode
  } catch (error) {
    window?.giveUp()
    const exitCode = await showUntilRead(context, error)
    window?.leave({ isStopped: false })
    return exitCode
  }
}
