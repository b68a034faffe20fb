import { join } from 'node:path'
import type { Context } from '../context.ts'
import { quoteForShell } from '../io/shell-quote.ts'

/**
 * The demo's Claude: the stand-in, which gets the words of the tour as its prompt where it was started without one.
 * A new conversation is told by the repo it is in, a fork by being one; a resumed conversation goes on in silence.
 */
const script = `words=
case " $* " in
  *' -- '*) ;;
  *' --fork-session '*) words=fork ;;
  *' --resume '*) ;;
  *) words=$(git remote get-url origin 2>/dev/null) ;;
esac
words=\${words##*/}
words=$tour/\${words%.git}
if [ -f "$words" ]; then set -- "$@" -- "$(cat "$words")"; fi
exec "$node" "$agent" "$@"
`

export function agentLauncher({ self }: Pick<Context, 'self'>, wordsDirectory: string): string {
  const [node, program] = self
  const values = {
    node: node!,
    agent: join(program!, '..', '..', 'dist', 'stand-in.js'),
    tour: wordsDirectory,
  }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}\n`)
  return `#!/bin/sh\n${lines.join('')}${script}`
}
