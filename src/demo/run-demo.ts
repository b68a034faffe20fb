import { once } from 'node:events'
import type { Context } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { wrap } from '../io/text.ts'
import { findProgram } from '../system/find-program.ts'
import { postGuard } from '../system/guard.ts'
import { systemProbe } from '../system/process-identity.ts'
import { interruptible, suspendTogether } from '../system/signals.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { type DemoPlace, makePlace } from './demo-place.ts'
import { openSession, prepare } from './prepare-demo.ts'
import { removePlace } from './remove-demo.ts'
import type { DemoScript, TourKeys } from './tour.ts'

export interface Visit {
  context: Context
  place: DemoPlace
  keys: TourKeys
  signal: AbortSignal
}

/** Sets the demo up, runs `visit`, and removes everything again, however the visit ends. */
export async function withDemo(
  context: Context,
  scriptFor: () => DemoScript,
  visit: (visit: Visit) => Promise<void>,
): Promise<void> {
  requireTmux(context.exec, context.env)
  await interruptible(async signal => {
    const script = scriptFor()
    const place = makePlace(context.env)
    // If this process is killed with -9, the guard removes the demo.
    const guard = postGuard(context.exec, [...context.self, 'demo', '--clear', place.root], place.env)
    try {
      const preparation = { context, place, signal }
      await prepare(preparation, script)
      await openSession(preparation, script)
      await visit({ ...preparation, keys: script.keys })
    } finally {
      try {
        await removePlace(context, place)
      } finally {
        await guard.dismiss()
      }
    }
  })
}

/** Shows the session in the user's terminal until they detach, end the session, or interrupt the demo. */
export async function attend({ context, place, signal }: Visit): Promise<void> {
  const [node, ...args] = [...context.self, 'tmux', 'attach']
  const client = context.exec.start(node!, args, {
    env: place.env,
    cwd: place.root,
    stdio: ['inherit', 'inherit', 'pipe'],
  })
  suspendTogether(client, systemProbe(context.exec))
  let stderr = ''
  client.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  try {
    const [exitCode] = await once(client, 'close', { signal })
    if (exitCode !== 0) throw notShown(stderr, context.env)
  } catch (error) {
    throw signal.aborted ? new Cancelled() : error
  }
}

/** Drops the hint of `attach`, because it is about a server that is removed with the demo. */
function notShown(stderr: string, { TERM }: NodeJS.ProcessEnv): AgencError {
  const reason = stderr.split('\n')[0]!.replace(/^agenc: /, '')
  return new AgencError(
    `the demo could not be shown${reason && `: ${reason}`}`,
    `tmux may not know this terminal (TERM=${TERM ?? ''}). To run without one: agenc demo --play`,
  )
}

const installClaude = 'npm install -g @anthropic-ai/claude-code'

/** Prints the next steps after the demo. */
export function sayFarewell({ err, env }: Context): void {
  const hasClaude = findProgram('claude', env) !== null
  for (const line of wrap(
    'The demo is over, and everything it created has been removed. To use agenc for real:',
    err.columns,
  ))
    err.line(line)
  if (!hasClaude) err.line(`  ${installClaude}`)
  err.line('  agenc setup')
  err.line('  agenc tmux attach')
}
