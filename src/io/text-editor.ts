import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'

/** $EDITOR may contain arguments, as in `code --wait`, and quotes around a path with spaces. */
export function editorCommand(env: NodeJS.ProcessEnv): string[] {
  const words = (env.VISUAL || env.EDITOR || '').match(/"[^"]*"|'[^']*'|\S+/g) ?? ['vi']
  return words.map(word => word.replace(/^(["'])(.*)\1$/, '$2'))
}

/** Opens a file in $VISUAL or $EDITOR, and waits for its end. `afterFailure` says what a failure leaves behind. */
export async function editFile(context: Context, file: string, afterFailure: string): Promise<void> {
  const [program = 'vi', ...options] = editorCommand(context.env)
  const done = await context.exec.stream(program, [...options, file], {
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if (done.missing)
    throw new AgencError(`the editor ${program} is not installed`, 'Set EDITOR to an installed editor.')
  if (done.exitCode !== 0) throw new AgencError(`${program} failed`, afterFailure)
}
