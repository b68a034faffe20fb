import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import { chooseEditor } from '../../editor/choose-editor.ts'
import { displayWarning, openEditor } from '../../editor/open-editor.ts'
import type { MissionJson } from '../../mission/mission-json.ts'

/** Opens the configured editor at the mission's directory. Resolves to the editor's name once it runs. */
export async function openMissionEditor(context: Context, mission: MissionJson): Promise<string> {
  const { env, exec, err } = context
  const { editor } = await readConfig(context.paths)
  const choice = chooseEditor(editor, { platform: process.platform, env })
  for (const warning of choice.warnings) err.line(`agenc: ${warning}; opening ${choice.name} instead`)
  const blind = displayWarning(process.platform, env)
  if (blind) err.line(`agenc: ${blind}`)
  await openEditor(exec, choice, mission.dir, env)
  return choice.name
}

/** What to type in the editor's terminal to be with this mission. */
export function wayIn(mission: MissionJson): string {
  const isElsewhere = mission.status === 'running' && mission.tmux_window === null
  return `agenc mission ${isElsewhere ? 'focus' : 'resume'} ${mission.short_id}`
}
