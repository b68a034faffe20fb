import type { MissionRecord } from '../db/missions.ts'
import { writeFileAtomically } from '../io/files.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { Paths } from '../paths.ts'

/** Tells `mission-shell.sh`, which starts no Node, the first port and the directory of the mission. */
export function writeShellPlace(paths: Paths, mission: MissionRecord): void {
  const lines = [String(mission.first_port ?? ''), missionDirectory(paths, mission)]
  writeFileAtomically(paths.mission(mission.id).shellPlace, `${lines.join('\n')}\n`)
}
