import { systemContext } from './context.ts'
import { AgencError, Cancelled, ExitCode, errorCode } from './errors.ts'
import type { Output } from './io/output.ts'

/**
 * `agenc … | head -1`: the reader has what it wanted, and a window that was closed reads nothing more.
 * What is under way is still brought to its end; only its words are lost.
 */
function ignoreLostReaders(stream: NodeJS.WriteStream): void {
  stream.on('error', error => {
    if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error
  })
}

/** The one place where an error becomes an exit code. */
async function report(error: unknown, err: Output, env: NodeJS.ProcessEnv): Promise<number> {
  if (error instanceof Cancelled) return ExitCode.cancelled
  const { cleanLines } = await import('./io/text.ts')
  const known = error instanceof AgencError ? error : undefined
  const message = error instanceof Error ? error.message : String(error)
  err.line(`${err.paint('red', 'agenc:')} ${cleanLines(message)}`)
  if (known?.hint) err.line(cleanLines(known.hint))
  if (!known && !env.AGENC_DEBUG) err.line('Run again with AGENC_DEBUG=1 to see where this comes from.')
  if (env.AGENC_DEBUG && error instanceof Error) err.line(cleanLines(error.stack ?? ''))
  return known?.exitCode ?? ExitCode.failed
}

async function main(argv: readonly string[]): Promise<void> {
  ignoreLostReaders(process.stdout)
  ignoreLostReaders(process.stderr)
  const context = systemContext()
  process.on('uncaughtException', async error => {
    process.exit(await report(error, context.err, context.env))
  })
  try {
    const { runCli } = await (argv[0] === '_complete' ? import('./complete.ts') : import('./cli.ts'))
    process.exitCode = await runCli(context, argv)
  } catch (error) {
    process.exitCode = await report(error, context.err, context.env)
  }
}

void main(process.argv.slice(2))
