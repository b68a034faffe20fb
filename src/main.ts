import type { AnyCommand } from './cli/command.ts'
import { plainInput } from './cli/fast-args.ts'
import { runCommand } from './cli/run-command.ts'
import { type Context, systemContext } from './context.ts'
import { ExitCode, isAgencError, isCancelled } from './errors.ts'
import { cleanLines } from './io/text.ts'

/** The one place where an error becomes an exit code. */
function report(error: unknown, { err, env }: Context): number {
  if (isCancelled(error)) return ExitCode.cancelled
  const known = isAgencError(error) ? error : undefined
  const message = error instanceof Error ? error.message : String(error)
  err.line(`${err.paint('red', 'agenc:')} ${cleanLines(message)}`)
  if (known?.hint) err.line(cleanLines(known.hint))
  if (!known && !env.AGENC_DEBUG) err.line('Run again with AGENC_DEBUG=1 to see where this comes from.')
  if (env.AGENC_DEBUG && error instanceof Error) err.line(cleanLines(error.stack ?? ''))
  return known?.exitCode ?? ExitCode.failed
}

/** Runs `work` to its exit code, whatever becomes of it. */
async function finish(work: (context: Context) => Promise<number>): Promise<void> {
  const context = systemContext()
  process.on('uncaughtException', error => {
    process.exit(report(error, context))
  })
  // What is written is written by now, and an end of our own is quicker than Node's.
  process.exit(await work(context).catch(error => report(error, context)))
}

async function runAny(context: Context, argv: readonly string[]): Promise<number> {
  const { runCli } = await (argv[0] === '_complete'
    ? import('./cli/completion/complete.ts')
    : import('./cli/commander.ts'))
  return runCli(context, argv)
}

/** Every command. */
export function main(argv: readonly string[]): Promise<void> {
  return finish(context => runAny(context, argv))
}

/** One command that is loaded already, as those that a key press starts are: a file of their own, without commander. */
export function mainWith(
  command: AnyCommand,
  argv: readonly string[],
  others: () => void,
): Promise<void> | undefined {
  const input = plainInput(command, argv)
  if (input === null) return void others()
  return finish(context => runCommand(context, command, input))
}
