import { type Context, withChanges } from '../context.ts'
import { quietOutput } from '../io/output.ts'
import type { AnyCommand } from './command.ts'

export async function runCommand(
  context: Context,
  command: AnyCommand,
  input: Record<string, unknown>,
): Promise<number> {
  const quieted = input.quiet ? withChanges(context, { err: quietOutput(context.err) }) : context
  return (await command.run(quieted, input)) ?? 0
}
