import type { Context } from '../context.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { explainFailure } from '../io/explain-failure.ts'
import { cleanLines } from '../io/text.ts'
import { endingSignals } from '../system/signals.ts'

/** Shows an error in a window that is about to close, and waits for Enter. Resolves to the exit code. */
export async function showError(context: Context, error: unknown): Promise<number> {
  const { message, hint } = explainFailure(error, context.paths.home)
  context.err.line(`agenc: ${cleanLines(message)}`)
  if (hint) context.err.line(cleanLines(hint))
  await waitForEnter(context)
  return isAgencError(error) ? error.exitCode : ExitCode.failed
}

/** A window closes with its program, so a message must stay until the user has read it. */
export function waitForEnter({ err, stdin }: Context): Promise<void> {
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
