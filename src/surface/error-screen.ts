import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Context } from '../context.ts'
import { ExitCode, isAgencError } from '../errors.ts'
import { explainFailure } from '../io/explain-failure.ts'
import { cleanLines } from '../io/text.ts'
import { endingSignals } from '../system/signals.ts'

/** Shows an error in a window that is about to close, and waits for Enter. Resolves to the exit code. */
export async function showError(context: Context, error: unknown): Promise<number> {
  for (const text of errorLines(context, error)) context.err.line(text)
  await waitForEnter(context)
  return exitCodeOfError(error)
}

/** What happened, and what to do about it. */
export function errorLines({ paths }: Context, error: unknown): string[] {
  const { message, hint } = explainFailure(error, paths.home)
  return [`agenc: ${cleanLines(message)}`, ...(hint ? [cleanLines(hint)] : [])]
}

export function exitCodeOfError(error: unknown): number {
  return isAgencError(error) ? error.exitCode : ExitCode.failed
}

/** A window closes with its program, so a message must stay until the user has read it. */
export async function waitForEnter(context: Context): Promise<void> {
  await waitForKey(context, 'Press Enter to close this window. ', key => /[\r\n]/.test(key))
}

const eraseLine = '\r\u001b[K'

/** Asks what becomes of a mission that has ended. Resolves to null if the window was closed instead. */
export async function askToResume(context: Context): Promise<'resume' | 'close' | null> {
  const { stdin, err } = context
  if (stdin.isTTY) stdin.setRawMode(true)
  const isAwaited = (key: string) => /^[\r\nqQ\u0003\u0004]/.test(key)
  const key = await waitForKey(context, 'Enter: resume, q: close ', isAwaited)
  if (stdin.isTTY) stdin.setRawMode(false)
  if (key === null) return null
  err.write(eraseLine)
  return /^[\r\n]/.test(key) ? 'resume' : 'close'
}

/**
 * Keys that were meant for Claude, and answers of the terminal to its questions, do not count. Resolves to null at an
 * ending signal, or if the terminal is gone.
 */
function waitForKey(
  { stdin, err }: Context,
  question: string,
  isAwaited: (key: string) => boolean,
): Promise<string | null> {
  discardTypedKeys()
  err.write(question)
  return new Promise(resolve => {
    const end = (key: string | null) => {
      stdin.off('data', onData).off('end', onGone).off('error', onGone)
      for (const signal of endingSignals) process.off(signal, onGone)
      stdin.pause()
      resolve(key)
    }
    const onGone = () => end(null)
    const onData = (data: Buffer | string) => {
      if (isAwaited(String(data))) end(String(data))
    }
    stdin.on('data', onData).once('end', onGone).once('error', onGone).resume()
    for (const signal of endingSignals) process.once(signal, onGone)
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
