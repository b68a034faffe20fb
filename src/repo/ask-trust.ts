import { type Context, isInteractive } from '../context.ts'
import { confirm } from '../io/prompt.ts'
import { displayRepo } from './reference.ts'

/** Resolves to null without a terminal. */
export async function askWhetherTrusted(context: Context, id: string): Promise<boolean | null> {
  if (!isInteractive(context)) return null
  const question = `Do you trust ${displayRepo(id)}? Its submodules are then fetched, and its filters and setup may run. Claude skips its trust question; permissions are still asked.`
  return confirm(context, question, false)
}
