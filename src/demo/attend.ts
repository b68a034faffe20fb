import { once } from 'node:events'
import { AgencError, Cancelled } from '../errors.ts'
import { systemProbe } from '../system/process-identity.ts'
import { suspendTogether } from '../system/signals.ts'
import type { Visit } from './run-demo.ts'

/** The session in the user's own terminal, until they detach, end it, or end us. */
export async function attend({ context, place, signal }: Visit): Promise<void> {
  const [node, ...args] = [...context.self, 'tmux', 'attach']
  const client = context.exec.start(node!, args, {
    env: place.env,
    cwd: place.root,
    stdio: ['inherit', 'inherit', 'pipe'],
  })
  suspendTogether(client, systemProbe(context.exec))
  let words = ''
  client.stderr!.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  try {
    const [exitCode] = await once(client, 'close', { signal })
    if (exitCode !== 0) throw notShown(words, context.env)
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error
  }
}

/** Without the advice of `attach`, which is about a server that will be gone by then. */
function notShown(words: string, { TERM }: NodeJS.ProcessEnv): AgencError {
  const reason = words.split('\n')[0]!.replace(/^agenc: /, '')
  return new AgencError(
    `the demo could not be shown${reason && `: ${reason}`}`,
    `Does tmux know this terminal (TERM=${TERM ?? ''})? Without one: agenc demo --play`,
  )
}
