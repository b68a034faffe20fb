import type { Box } from '../place/box.ts'
import { profileOf } from '../place/profile.ts'
import { openQuietWindows, openSession } from '../place/session.ts'
import { storeMissions } from '../place/store.ts'
import { emptyNode, timeAgenc } from '../place/timing.ts'
import type { Case } from './case.ts'
import { leastOfAList } from './least.ts'

function besideEmptyNode(box: Box, args: readonly string[]) {
  const floor = emptyNode(box)
  return { subject: async () => timeAgenc(box, args), floor: async () => floor() }
}

export function helpCase(...args: string[]): Case {
  return { prepare: box => besideEmptyNode(box, args) }
}

export function listCase(missions: number, running: number): Case {
  return {
    prepare: async box => {
      const stored = await storeMissions(box, missions)
      const session = running > 0 ? openSession(box) : null
      if (session) await openQuietWindows(box, session, stored.slice(0, running))
      assertListed(box, missions, running)
      const args = ['mission', 'ls', '--json']
      const least = () => (session ? leastOfAList(box, session, box.agenc(args)) : [])
      return { ...besideEmptyNode(box, args), figures: () => [...profileOf(box, args), ...least()] }
    },
  }
}

/** A list that is fast because it is empty would prove nothing. */
export function assertListed(box: Box, missions: number, running: number): void {
  const listed: { status: string; tmux_window: string | null }[] = JSON.parse(
    box.agenc(['mission', 'ls', '--json']),
  )
  const seen = listed.filter(({ status, tmux_window }) => status === 'running' && tmux_window !== null)
  if (listed.length === missions && seen.length === running) return
  throw new Error(
    `expected ${missions} missions, ${running} of them running; got ${listed.length}, ${seen.length}`,
  )
}
