import type { Context } from '../context.ts'
import { interruptible } from '../repo/interruption.ts'
import { requireTmux } from '../tmux/version.ts'
import { postGuard } from '../wrapper/guard.ts'
import { openSession } from './open.ts'
import { type DemoPlace, makePlace } from './place.ts'
import { prepare } from './prepare.ts'
import { removePlace } from './remove.ts'
import { type TourKeys, tourWords } from './tour.ts'

export type Visit = (place: DemoPlace, signal: AbortSignal) => Promise<void>

/** Builds the demo, lets somebody in, and leaves nothing behind, however the visit ends. */
export async function withDemo(context: Context, keys: TourKeys, visit: Visit): Promise<void> {
  requireTmux(context.exec, context.env)
  await interruptible(async signal => {
    const place = makePlace(context.env)
    // Even after `kill -9` somebody is left to clear up.
    const guard = postGuard(context.exec, [...context.self, 'demo', '--clear', place.root], place.env)
    try {
      const words = tourWords(keys)
      const preparation = { context, place, signal }
      await prepare(preparation, keys, words)
      await openSession(preparation, words)
      await visit(place, signal)
    } finally {
      await removePlace(context, place)
      guard.dismiss()
    }
  })
}
