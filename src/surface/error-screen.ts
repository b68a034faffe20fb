import { closeSync, constants, openSync, readSync } from 'node:fs'
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

/**
 * A window closes with its program, so a message must stay until the user has read it. Keys that were meant for Claude, and
 * answers of the terminal to its questions, do not count.
 */
export function waitForEnter({ err, stdin }: Context): Promise<void> {
  discardTypedKeys()
  err.write('Press Enter to close this window. ')
  return new Promise(resolve => {
    const done = () => {
      stdin.off('data', onData)
      stdin.pause()
      resolve()
    }
    const onData = (data: Buffer | string) => {
      if (/[\r\n]/.test(String(data))) done()
    }
    stdin.on('data', onData).once('end', done).once('error', done)
    for (const signal of endingSignals) process.once(signal, done)
  })
}

function discardTypedKeys(): void {
  try {
    const terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      while (readSync(terminal, Buffer.alloc(4096)) > 0);
    } finally {
      closeSync(terminal)
    }
  } catch {
    // There is nothing more to read, or no terminal.
  }
}
