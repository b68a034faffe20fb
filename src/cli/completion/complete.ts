import type { Context } from '../../context.ts'
import { answer } from './candidates.ts'
import type { Tree } from './command-tree.ts'
import tree from './tree.json' with { type: 'json' }
import { valuesFrom } from './values.ts'

/**
 * `agenc _complete -- words…`, for the shells' completion: one candidate a line, a tab, what it is.
 * Apart from cli.ts, because commander alone takes longer to load than all of this. A failure is silence.
 */
export async function runCli(context: Context, argv: readonly string[]): Promise<number> {
  const words = argv.slice(argv.indexOf('--') + 1)
  try {
    const found = await answer(tree as Tree, words, valuesFrom(context, tree.settings))
    context.out.write(typeof found === 'string' ? `:${found}\n` : found.map(line).join(''))
  } catch {
    // A half typed line is no place for an error.
  }
  return 0
}

function line({ value, description }: { value: string; description: string }): string {
  return `${value}\t${description.replace(/\s+/g, ' ')}\n`
}
