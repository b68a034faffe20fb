import { claudeMode } from '../claude/permission-mode.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { getMission } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { modesOfClaude } from '../mission/check-mode.ts'
import { effectiveMode, type ModeSource } from '../mission/effective-settings.ts'
import { type MissionId, shortId } from '../mission-id.ts'

/** What the user can do about a Claude that ended right after its start. Claude itself has said why, above this. */
export async function adviceAfterFailedStart(
  context: Context,
  id: MissionId,
  config: Config,
): Promise<string[]> {
  const mission = await readStore(context, db => db && getMission(db, id))
  if (!mission) return []
  const { mode, source } = effectiveMode(mission, config)
  const listed = source === 'claude' || mode === null ? null : await modesOfClaude(context)
  if (mode !== null && listed !== null && !listed.includes(claudeMode(mode)))
    return [
      `It refused its arguments: it does not know the permission mode ${JSON.stringify(mode)}.`,
      `Change it with: ${commandToChange(source, mission.repo, id)}`,
    ]
  if (config.claude.args.length > 0)
    return ['It may have refused the arguments in claude.args. Change them with: agenc config edit']
  return []
}

function commandToChange(source: ModeSource, repo: string | null, id: MissionId): string {
  switch (source) {
    case 'repo':
      return `agenc config set repos.${repo}.permission_mode <mode>`
    case 'config':
      return 'agenc config set claude.permission_mode <mode>'
    default:
      return `agenc mission set ${shortId(id)} --permission-mode <mode>`
  }
}
