import { preparedConfig } from '../config/prepared.ts'
import type { Context } from '../context.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { cleanLines } from '../io/clean.ts'
import type { MissionId } from '../mission/id.ts'
import { MissionWindow } from '../tmux/mission-window.ts'
import { runMission } from './run.ts'
import { endingSignals } from './signal-policy.ts'
import { hasOwnTerminal } from './terminal.ts'

/** Runs a mission in this terminal, and where that is a window of its own, leaves it as it should be left. */
export async function runInTerminal(context: Context, id: MissionId): Promise<number> {
  const config = await preparedConfig(context.paths)
  if (!hasOwnTerminal()) return (await runMission(context, id, config, null)).exitCode
  const window = MissionWindow.of(context, config)
  try {
    const { exitCode, failedEarly, wasStopped } = await runMission(context, id, config, window)
    if (failedEarly) {
      context.err.line(`\nagenc: Claude ended at once, with exit code ${exitCode}.`)
      await pressEnter(context)
    }
    window?.leave({ isStopped: wasStopped })
    return exitCode
  } catch (error) {
    context.err.line(`agenc: ${cleanLines(error instanceof Error ? error.message : String(error))}`)
    if (isAgencError(error) && error.hint) context.err.line(cleanLines(error.hint))
    await pressEnter(context)
    window?.leave({ isStopped: false })
    return isAgencError(error) ? error.exitCode : ExitCode.failed
  }
}

/** A window closes with its program: what went wrong at once must stay until it was read. */
function pressEnter({ err, stdin }: Context): Promise<void> {
  err.write('Press Enter to close this window. ')
  return new Promise(resolve => {
    const done = () => {
      stdin.pause()
      resolve()
    }
    stdin.once('data', done).once('end', done).once('error', done)
    for (const signal of endingSignals) process.once(signal, done)
  })
}
