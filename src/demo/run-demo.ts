import type { Context } from '../context.ts'
import { postGuard } from '../system/guard.ts'
import { interruptible } from '../system/signals.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { type DemoPlace, makePlace } from './demo-paths.ts'
import type { DemoScript, TourKeys } from './demo-script.ts'
import { openSession } from './open-demo.ts'
import { prepare } from './prepare-demo.ts'
import { removePlace } from './remove-demo.ts'

export interface Visit {
  context: Context
  place: DemoPlace
  keys: TourKeys
  signal: AbortSignal
}

/** Builds the demo, lets somebody in, and leaves nothing behind, however the visit ends. */
export async function withDemo(
  context: Context,
  scriptFor: () => DemoScript,
  visit: (visit: Visit) => Promise<void>,
): Promise<void> {
  requireTmux(context.exec, context.env)
  await interruptible(async signal => {
    const script = scriptFor()
    const place = makePlace(context.env)
    // Even after `kill -9` somebody is left to clear up.
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
