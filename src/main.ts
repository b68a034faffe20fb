import { type AnyCommand, runCommand } from './cli/command.ts'
import { fastInput } from './cli/fast-args.ts'
import { type Context, systemContext } from './context.ts'
import { ExitCode, isAgencError, isCancelled } from './errors.ts'
import { explainFailure } from './io/explain-failure.ts'
import { cleanLines } from './io/text.ts'

/** Runs the command that `argv` names. */
export function main(argv: readonly string[]): Promise<void> {
  return exitWith(context => runAny(context, argv))
}

/**
 * Runs one command that is already loaded, without commander. The files below dist/hot start here.
 * Calls `otherwise` if the words are not plain arguments of this command.
 */
export function runLoaded(
  command: AnyCommand,
  argv: readonly string[],
  otherwise: () => Promise<void>,
): Promise<void> {
  const input = fastInput(command, argv)
  return input === null ? otherwise() : exitWith(context => runCommand(context, command, input))
}

/** `agenc _complete`. Built as a file of its own, because completion does not need commander. */
export function completeLine(argv: readonly string[]): Promise<void> {
  return exitWith(async context => {
    const { complete } = await import('./cli/completion/complete.ts')
    const { default: tree } = await import('./commands/command-tree.json', { with: { type: 'json' } })
    return complete(context, tree, argv)
  })
}

async function runAny(context: Context, argv: readonly string[]): Promise<number> {
  const { runCli } = await import('./cli/commander.ts')
  const { registry } = await import('./commands/registry.ts')
  if (argv.length > 0) return runCli(context, registry, argv)
  const { defaultCommand } = await import('./commands/default-command.ts')
  return runCli(context, registry, defaultCommand(context))
}

async function exitWith(work: (context: Context) => Promise<number>): Promise<void> {
  const context = systemContext()
  process.on('uncaughtException', async error => {
    process.exit(await report(error, context))
  })
  // All output has been written synchronously by now, and process.exit is faster than waiting for Node to end.
  process.exit(await work(context).catch(error => report(error, context)))
}

/** The one place where an error becomes an exit code. */
function report(error: unknown, { err, env, paths }: Context): number {
  if (isCancelled(error)) return ExitCode.cancelled
  const { message, hint, isKnown } = explainFailure(error, paths.home)
  err.line(`${err.paint('red', 'agenc:')} ${cleanLines(message)}`)
  if (hint) err.line(cleanLines(hint))
  if (!isKnown && !env.AGENC_DEBUG)
    err.line('Run the command again with AGENC_DEBUG=1 to see the stack trace.')
  if (env.AGENC_DEBUG && error instanceof Error) err.line(cleanLines(error.stack ?? ''))
  return isAgencError(error) ? error.exitCode : ExitCode.failed
}
