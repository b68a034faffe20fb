import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { listMissions } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { removeFile } from '../io/files.ts'
import { statusesOf } from '../mission/list.ts'
import { leaseHolder } from '../mission/mission-status.ts'
import { shortId } from '../mission-id.ts'
import { type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { isListening } from '../wrapper/wakeup-fifo.ts'
import { checkFiles } from './check-leftovers.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** What crashed missions left: processes, files, and themselves. */
export async function checkMissions(context: Context): Promise<Finding[]> {
  const missions = await storedMissions(context)
  // Without the store, no directory could be told from rubbish.
  if (missions === null) return []
  const dead = deadOnes(context, missions)
  const found = [
    ...strayClaudes(context, dead),
    ...crashed(context, missions),
    ...missions.flatMap(mission => withoutFiles(context, mission)),
    ...dead.flatMap(mission => staleBell(context, mission)),
    ...checkFiles(context, new Set(missions.map(({ id }) => id))),
  ]
  return found.length > 0 ? found : [ok('leftovers', 'nothing is left of crashed missions')]
}

/** null: it cannot be read. */
async function storedMissions(context: Context): Promise<MissionRecord[] | null> {
  try {
    return await readStore(context, db => (db ? listMissions(db, { archived: true }) : []))
  } catch {
    return null
  }
}

/** Known to have no wrapper; one that cannot be seen from here is left alone. */
function deadOnes(context: Context, missions: readonly MissionRecord[]): MissionRecord[] {
  const held = missions.filter(mission => leaseHolder(mission) !== null)
  const states = systemProbe(context.exec).liveness(held.map(mission => leaseHolder(mission)!))
  const perhapsAlive = new Set(held.filter((_, index) => states[index] !== 'dead').map(({ id }) => id))
  return missions.filter(({ id }) => !perhapsAlive.has(id))
}

function strayClaudes(context: Context, dead: readonly MissionRecord[]): Finding[] {
  const claudes = dead.flatMap(mission => {
    const { claude_pid: pid, claude_start: start } = mission
    return pid === null || start === null ? [] : [{ mission, claude: { pid, start } as ProcessIdentity }]
  })
  const states = systemProbe(context.exec).liveness(claudes.map(({ claude }) => claude))
  return claudes
    .filter((_, index) => states[index] === 'alive')
    .map(({ mission, claude }) =>
      problem(
        'leftovers',
        `the Claude of ${shortId(mission.id)} (process ${claude.pid}) runs on without its wrapper`,
        `'agenc mission resume ${shortId(mission.id)}' ends it and goes on; or: kill ${claude.pid}`,
      ),
    )
}

function crashed(context: Context, missions: readonly MissionRecord[]): Finding[] {
  const lost = statusesOf(context, missions).filter(status => status === 'crashed').length
  if (lost === 0) return []
  const message =
    lost === 1 ? '1 mission was not ended by anyone' : `${lost} missions were not ended by anyone`
  return [warning('leftovers', message, 'Bring back what was running: agenc tmux restore')]
}

function withoutFiles(context: Context, { id }: MissionRecord): Finding[] {
  const { root } = context.paths.mission(id)
  if (existsSync(root)) return []
  return [
    warning(
      'leftovers',
      `the directory of mission ${shortId(id)} is gone`,
      `Bring ${root} back, or: agenc mission rm ${shortId(id)}`,
    ),
  ]
}

function staleBell(context: Context, { id }: MissionRecord): Finding[] {
  const { wakeup: bell } = context.paths.mission(id)
  if (!existsSync(bell)) return []
  return [
    warning('leftovers', `nobody listens to ${bell}`, 'agenc doctor --fix', () => {
      // A wrapper may have started since.
      if (isListening(bell)) return `left ${bell}: somebody listens to it by now`
      removeFile(bell)
      return `removed ${bell}`
    }),
  ]
}
