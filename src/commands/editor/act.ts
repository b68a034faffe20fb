import type { Context } from '../../context.ts'
import type { SeenWindow } from '../../editor/detect.ts'
import type { Desktop, Outcome } from '../../editor/window-actions.ts'
import { AgencError } from '../../errors.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { sightMissions, surroundingsOf } from './sight-missions.ts'

/** The window that was asked, and whose it is; null where none is known to show the mission. */
export function askWindow(
  context: Context,
  mission: MissionJson,
  verb: 'raise' | 'close',
  act: (desktop: Desktop, seen: SeenWindow) => Outcome,
): { id: string; program: string } | null {
  const surroundings = surroundingsOf(context)
  const { window, editorType, isUncertain } = sightMissions(surroundings, [mission])[0]!
  if (isUncertain) {
    const why = surroundings.windows.problem() ?? "see 'agenc doctor'"
    context.err.line(`agenc: whether a window shows ${mission.short_id} cannot be told: ${why}`)
  }
  if (window === null) return null
  const outcome = act(surroundings, window)
  if (outcome === 'gone') return null
  if (outcome === 'asked') return { id: window.id, program: editorType ?? 'the program' }
  throw new AgencError(
    `cannot ${verb} window ${window.id}, which shows ${mission.short_id}`,
    surroundings.windows.problem() ?? "Run 'agenc doctor'.",
  )
}
