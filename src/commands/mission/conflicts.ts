import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import { listMissions, type MissionRecord, missionsOnRepo } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { type Conflict, candidates, conflictsOf, findConflicts, withBase } from '../../git-work/conflicts.ts'
import { missionRepo, ownObjects } from '../../git-work/mission-repo.ts'
import { takeSnapshot } from '../../git-work/snapshot.ts'
import { explainFailure } from '../../io/explain-failure.ts'
import { forEachInParallel } from '../../io/parallel.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMission } from '../../mission/choose.ts'
import { markConflicts } from '../../mission/conflict-marks.ts'
import { missionService } from '../../mission/open-service.ts'
import { missionTitle } from '../../mission/tell-done.ts'
import type { MissionId } from '../../mission-id.ts'
import { interruptible } from '../../system/signals.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    'Show which missions of the same repo would conflict with each other, or with their base, and in which files. Compares the present state of all missions that are not archived.',
  arguments: [
    { name: 'mission', description: "only conflicts of this one: its name or id, or '.' (default: all)" },
  ],
  options: [jsonOption],
  examples: ['agenc mission conflicts', 'agenc mission conflicts 3f2a', 'agenc mission conflicts --json'],
  async run(context, { mission: word, json }) {
    await withStore(context, async db => {
      const chosen = word === undefined ? undefined : await chooseMission(context, db, word)
      const found = await interruptible(signal => findAndMark(context, db, chosen, signal))
      if (json) context.out.line(JSON.stringify(found))
      else if (found.length === 0) context.out.line('No conflicts.')
      else print(context, found, listMissions(db, { archived: true }))
    })
    return 0
  },
})

async function findAndMark(
  context: Context,
  db: Database,
  chosen: MissionRecord | undefined,
  signal: AbortSignal,
): Promise<Conflict[]> {
  // Throws if the mission has no repo.
  if (chosen) missionRepo(context, chosen)
  const listed = chosen ? missionsOnRepo(db, chosen.repo!) : listMissions(db)
  const wanted = candidates(listed).filter(({ repo }) => repo !== null)
  if (chosen && !wanted.some(({ id }) => id === chosen.id)) wanted.push(chosen)
  await recordPresentState(context, wanted, signal)
  const found: Conflict[] = []
  for (const repo of new Set(wanted.map(mission => mission.repo))) {
    const missions = wanted.filter(mission => mission.repo === repo)
    found.push(...(await findConflicts(context, missions, { of: chosen?.id, signal })))
  }
  // An archived mission has no marks.
  const marked = (chosen ? [chosen] : wanted).filter(({ archived_at }) => archived_at === null)
  missionService(context, db).write(writer => {
    for (const mission of marked) markConflicts(writer, mission, conflictsOf(mission.id, found))
  })
  return found
}

const snapshotsAtOnce = 2

/** A mission whose files cannot be recorded is compared as it was recorded last. */
async function recordPresentState(
  context: Context,
  missions: readonly MissionRecord[],
  signal: AbortSignal,
): Promise<void> {
  const { checkpoint_exclude: exclude } = (await readConfig(context.paths)).missions
  await forEachInParallel(missions, snapshotsAtOnce, async mission => {
    const repo = missionRepo(context, mission)
    if (mission.dir !== null || ownObjects(repo) === null || signal.aborted) return
    try {
      await takeSnapshot(repo, { exclude, now: context.now(), signal })
    } catch (error) {
      if (signal.aborted) throw error
      const { message } = explainFailure(error, context.paths.home)
      context.err.line(`agenc: ${missionTitle(mission)} is compared as it was recorded last: ${message}`)
    }
  })
  signal.throwIfAborted()
}

const mostFiles = 20

function print({ out }: Context, found: readonly Conflict[], missions: readonly MissionRecord[]): void {
  const byId = new Map<string, MissionRecord>(missions.map(mission => [mission.id, mission]))
  const title = (id: MissionId | string) => {
    const mission = byId.get(id)
    return mission ? missionTitle(mission) : id
  }
  for (const { mission, with: other, files } of found) {
    const base = byId.get(mission)?.base_ref
    const partner = other === withBase ? `its base${base ? ` ${cleanText(base)}` : ''}` : title(other)
    out.line(out.paint('yellow', `${title(mission)} conflicts with ${partner}:`))
    for (const file of files.slice(0, mostFiles)) out.line(`  ${cleanText(file)}`)
    if (files.length > mostFiles) out.line(`  … and ${files.length - mostFiles} more`)
  }
}
