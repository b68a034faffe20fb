import type { Context } from '../context.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { cleanLines } from '../io/text.ts'
import { endingSignals } from '../wrapper/signal-policy.ts'

/** Says what went wrong in a window that is about to close, and waits. Resolves to the exit code. */
export async function showUntilRead(context: Context, error: unknown): Promise<number> {
  context.err.line(`agenc: ${cleanLines(error instanceof Error ? error.message : String(error))}`)
  if (isAgencError(error) && error.hint) context.err.line(cleanLines(error.hint))
  await pressEnter(context)
  return isAgencError(error) ? error.exitCode : ExitCode.failed
}

/** A window closes with its program: what went wrong at once must stay until it was read. */
export function pressEnter({ err, stdin }: Context): Promise<void> {
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
