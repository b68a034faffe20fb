import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { diskUse } from '../io/disk-size.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import type { MissionId } from '../mission-id.ts'
import { collectGarbage } from '../repo/collect-garbage.ts'
import { gitFailed } from '../repo/git.ts'
import { libraryPath } from '../repo/library.ts'
import { deleteRefs, type KeptRef, keptWork } from './kept-work.ts'
import { checkpointRefs, keptRefs, libraryGit, type MissionRepo, ownGit, ownObjects } from './mission-repo.ts'
import { type KeptMission, whatOnlyLibraryHas } from './only-in-library.ts'
import { youngest } from './purge-mission.ts'

/** What may go of one mission's work in the library. */
export interface Garbage {
  repo: string
  mission_id: MissionId
  name: string | null
  /** `unknown`: the store has no record of it. */
  mission: 'removed' | 'done' | 'living' | 'unknown'
  /** The number of checkpoints. */
  checkpoints: number
  /** Nothing of it is left then, so it cannot be brought back. */
  whole: boolean
  /** The disk space that only these objects take. */
  bytes: number
  /** The time of the newest of them. */
  at: string
  /** Its work that exists only in the library. Then it goes only with --force. */
  only_here: string[]
}

interface Found extends Garbage {
  refs: string[]
}

export interface GarbageWish {
  /** Only what is older than this time, ISO 8601. */
  before: string
  /** Only what takes more space, per mission. */
  moreThanBytes: number
}

/**
 * Checkpoints older than the given time, except the latest of a mission that has its directory; and all of a mission that
 * was deleted before that time. A running mission keeps everything, because it may be recording a state.
 */
export async function findGarbage(
  context: Context,
  db: Database,
  repos: readonly string[],
  { before, moreThanBytes }: GarbageWish,
): Promise<Garbage[]> {
  const found: Found[] = []
  for (const repo of repos) {
    const library = libraryPath(context.paths.repos, repo)
    const work = keptWork(context, library)
    for (const [id, refs] of work) {
      const record = getMission(db, id, { removed: true })
      if (record && statusNow(context, record) === 'running') continue
      const missionRepo = repoOf(context, repo, id)
      const chosen = chooseRefs(context, record, id, refs, before)
      if (chosen.refs.length === 0) continue
      const names = chosen.refs.map(({ name }) => name)
      const bytes = await bytesOf(missionRepo, [...work.values()].flat(), new Set(names))
      if (bytes < moreThanBytes) continue
      found.push({
        repo,
        mission_id: id,
        name: record?.name ?? null,
        mission: chosen.mission,
        checkpoints: names.filter(name => name.startsWith(keptRefs(id).checkpoints)).length,
        whole: chosen.whole,
        bytes,
        at: chosen.refs.map(({ at }) => at).reduce((a, b) => (a > b ? a : b)),
        only_here: chosen.whole ? await whatOnlyLibraryHas(context, db, record ?? lostMission(id, repo)) : [],
        refs: names,
      })
    }
  }
  return found
}

function chooseRefs(
  context: Context,
  record: MissionRecord | undefined,
  id: MissionId,
  refs: readonly KeptRef[],
  before: string,
): { mission: Garbage['mission']; whole: boolean; refs: KeptRef[] } {
  const isOld = ({ at }: KeptRef) => at < before
  const checkpoints = refs.filter(({ name }) => name.startsWith(keptRefs(id).checkpoints))
  const old = checkpoints.filter(isOld)
  if (record === undefined) {
    const whole = refs.every(isOld)
    return { mission: 'unknown', whole, refs: whole ? [...refs] : [] }
  }
  if (record.removed_at !== null) {
    const whole = record.removed_at < before
    return { mission: 'removed', whole, refs: whole ? [...refs] : old }
  }
  const isDone = record.archived_at !== null && !existsSync(context.paths.mission(id).agent)
  if (isDone) return { mission: 'done', whole: false, refs: old }
  const latest = Math.max(...checkpoints.map(numberOf))
  return { mission: 'living', whole: false, refs: old.filter(ref => numberOf(ref) !== latest) }
}

/** A mission without a record. */
function lostMission(id: MissionId, repo: string): KeptMission {
  return { id, repo, name: null, dir: null, base_ref: null }
}

function numberOf({ name }: KeptRef): number {
  return Number(name.slice(name.lastIndexOf('/') + 1))
}

function repoOf({ exec, env, paths }: Context, repo: string, id: MissionId): MissionRepo {
  return { exec, env, id, library: libraryPath(paths.repos, repo), directory: paths.mission(id).agent }
}

/** The disk space of the objects that no other ref of the library needs. */
async function bytesOf(
  repo: MissionRepo,
  kept: readonly KeptRef[],
  names: ReadonlySet<string>,
): Promise<number> {
  const lines = kept.map(({ name, commit }) => (names.has(name) ? commit : `^${commit}`))
  const args = [
    'rev-list',
    '--objects',
    '--disk-usage',
    '--stdin',
    '--not',
    '--branches',
    '--remotes',
    '--tags',
  ]
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const asked = await libraryGit(repo, args, { env, input: lines.map(line => `${line}\n`).join('') })
  if (asked.exitCode !== 0) throw gitFailed('cannot measure the checkpoints', asked)
  return Number(asked.stdout)
}

/** Deletes what `findGarbage` has found. Resolves to the disk space that is free now. */
export async function deleteGarbage(
  context: Context,
  db: Database,
  garbage: readonly Garbage[],
  { signal, showsProgress }: { signal: AbortSignal; showsProgress: boolean },
): Promise<number> {
  const libraries = [...new Set(garbage.map(({ repo }) => libraryPath(context.paths.repos, repo)))]
  const before = diskUse(libraries).bytes
  for (const one of garbage as readonly Found[]) {
    if (signal.aborted) break
    const repo = repoOf(context, one.repo, one.mission_id)
    const record = getMission(db, one.mission_id, { removed: true })
    // The user may have left the question open for hours.
    if (record && statusNow(context, record) === 'running') continue
    if (one.whole && record && record.removed_at === null) continue
    await deleteRefs(repo, one.refs)
    if (one.whole && record) missionService(context, db).write(writer => writer.remove(one.mission_id))
    else await deleteOwnRefs(repo, one.refs)
  }
  for (const library of libraries)
    await collectGarbage(context, library, { expire: youngest, signal, showsProgress })
  return Math.max(0, before - diskUse(libraries).bytes)
}

async function deleteOwnRefs(repo: MissionRepo, names: readonly string[]): Promise<void> {
  if (ownObjects(repo) === null) return
  const own = names.map(name => `delete ${checkpointRefs}${name.slice(name.lastIndexOf('/') + 1)}\n`)
  const done = await ownGit(repo, ['update-ref', '--stdin'], { input: own.join('') })
  if (done.exitCode !== 0) throw new AgencError("cannot delete the checkpoints in the mission's own repo")
}

/** The missions without a directory whose work would be lost with a repo of the library. */
export async function workOnlyInLibrary(
  context: Context,
  db: Database,
  repo: string,
): Promise<Pick<Garbage, 'mission_id' | 'name' | 'only_here'>[]> {
  const found: Pick<Garbage, 'mission_id' | 'name' | 'only_here'>[] = []
  for (const mission_id of keptWork(context, libraryPath(context.paths.repos, repo)).keys()) {
    const mission = getMission(db, mission_id, { removed: true }) ?? lostMission(mission_id, repo)
    const only_here = await whatOnlyLibraryHas(context, db, mission)
    if (only_here.length > 0) found.push({ mission_id, name: mission.name, only_here })
  }
  return found
}
