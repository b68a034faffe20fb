import type { Request } from '../approvals/rule.ts'
import { claudeLocations } from '../claude/claude-locations.ts'
import type { Context } from '../context.ts'

/** Where agenc and Claude keep their settings, which missions must not change. */
export type GuardedPlaces = Required<Pick<Request, 'agencHome' | 'claudeDirectory'>>

export function guardedPlaces({ paths, env }: Pick<Context, 'paths' | 'env'>): GuardedPlaces {
  return { agencHome: paths.home, claudeDirectory: claudeLocations(env).directory }
}
