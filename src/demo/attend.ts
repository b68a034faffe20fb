import { once } from 'node:events'
import { Cancelled } from '../errors.ts'
import type { Visit } from './demo.ts'

/** The session in the user's own terminal, until they detach, end it, or end us. */
export async function attend({ context, place, signal }: Visit): Promise<void> {
  const [node, ...args] = [...context.self, 'tmux', 'attach']
  const client = context.exec.start(node!, args, { env: place.env, cwd: place.root, stdio: 'inherit' })
  try {
    await once(client, 'exit', { signal })
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error
  }
}
