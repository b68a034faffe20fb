import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { forEachInParallel } from '../io/parallel.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../io/temporary-directory.ts'
import { markConflicts } from '../mission/conflict-marks.ts'
import type { ConflictJson } from '../mission/mission-json.ts'
import type { MissionService } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import { baseBranchRef } from './base-branch.ts'
import { emptyTree } from './changes.ts'
import { mergeTrees } from './merge-tree.ts'
import {
  keptRefs,
  libraryGit,
  type MissionRepo,
  missionRepo,
  outputOf,
  type RepoGitOptions,
  withObjects,
} from './mission-repo.ts'

/** Two missions that cannot both be merged, or a mission and its base. */
export interface Conflict extends ConflictJson {
  mission: MissionId
}

/** In place of a mission's id. */
export const withBase = 'base'

type Limits = Pick<RepoGitOptions, 'signal' | 'isLow'>

const mergesAtOnce = 2

/**
 * Finds the conflicts between missions of one repo, and with the base as the library has it now. Compares the last recorded
 * state of each mission. With `of`, only conflicts of that mission. Writes nothing that stays.
 */
export async function findConflicts(
  context: Context,
  missions: readonly MissionRecord[],
  { of, ...limits }: Limits & { of?: MissionId } = {},
): Promise<Conflict[]> {
  const [first] = missions
  if (first === undefined) return []
  const repo = missionRepo(context, first)
  const objects = makeTemporaryDirectoryIn(temporaryPlaces(context.paths.home), 'agenc-objects-')
  try {
    // git refuses an object directory without this one.
    mkdirSync(join(objects.path, 'pack'))
    const env = {
      GIT_OBJECT_DIRECTORY: objects.path,
      ...withObjects([join(repo.library, 'objects')]),
    }
    return await compareAll(repo, missions, of, { ...limits, env })
  } finally {
    objects.remove()
  }
}

/** With more, the merges would take longer than a turn's end may cost. */
const mostCompared = 20

/**
 * Finds the conflicts of one mission from what is recorded, and stores them with all missions that they concern. For a
 * wrapper, after a turn: does nothing if that would take long.
 */
export async function updateConflicts(
  context: Context,
  missions: MissionService,
  mission: Pick<MissionRecord, 'id' | 'repo'>,
  limits: Limits = {},
): Promise<void> {
  if (mission.repo === null) return
  const compared = candidates(missions.onRepo(mission.repo)).filter(
    other => other.id === mission.id || hasChanges(other),
  )
  if (compared.length > mostCompared) return
  const found = await findConflicts(context, compared, { of: mission.id, ...limits })
  missions.write(writer => markConflicts(writer, mission, conflictsOf(mission.id, found)))
}

/** Missions whose work has not been put away. */
export function candidates(missions: readonly MissionRecord[]): MissionRecord[] {
  return missions.filter(({ archived_at, removed_at }) => archived_at === null && removed_at === null)
}

function hasChanges({ changes }: MissionRecord): boolean {
  return changes === null || JSON.parse(changes).files > 0
}

/** The conflicts of one mission, as it keeps them. */
export function conflictsOf(id: MissionId, found: readonly Conflict[]): ConflictJson[] {
  return found.flatMap(conflict => {
    const { mission, files } = conflict
    if (mission === id) return [{ with: conflict.with, files }]
    return conflict.with === id ? [{ with: mission, files }] : []
  })
}

async function compareAll(
  repo: MissionRepo,
  missions: readonly MissionRecord[],
  of: MissionId | undefined,
  options: RepoGitOptions,
): Promise<Conflict[]> {
  const refs = await readRefs(repo, missions.map(baseBranchRef), options)
  const near = of === undefined ? missions : await missionsNear(of, repo, missions, refs, options)
  const works = await readWorks(repo, near, refs, options)
  const conflicts: Conflict[] = []
  // What has landed needs no further merge, and others meet it in their base.
  const landed = new Set<MissionId>()
  await forEachInParallel(works, mergesAtOnce, async work => {
    const { tip } = work
    if (tip === null || !overlap(work, tip)) return
    const { tree, files } = await mergeTrees(repo, tip.commit, work.commit, options)
    if (files.length > 0) conflicts.push({ mission: work.id, with: withBase, files })
    else if (tree === tip.tree) landed.add(work.id)
  })
  const unlanded = works.filter(({ id }) => !landed.has(id))
  const pairs = unlanded.flatMap((one, index) =>
    unlanded
      .slice(index + 1)
      .filter(other => (of === undefined || one.id === of || other.id === of) && overlap(one, other))
      .map(other => (other.id === of ? ([other, one] as const) : ([one, other] as const))),
  )
  const baseFiles = new Map(conflicts.map(({ mission, files }) => [mission, new Set(files)]))
  await forEachInParallel(pairs, mergesAtOnce, async ([one, other]) => {
    const merged = await mergeTrees(repo, one.commit, other.commit, options)
    // If one of them has a newer base, the other meets the changes of that base here once more.
    const isOfBase = (file: string) => baseFiles.get(one.id)?.has(file) || baseFiles.get(other.id)?.has(file)
    const files = merged.files.filter(
      file => (one.files.has(file) && other.files.has(file)) || !isOfBase(file),
    )
    if (files.length > 0) conflicts.push({ mission: one.id, with: other.id, files })
  })
  const order = new Map<string, number>(missions.map(({ id }, index) => [id, index]))
  return conflicts
    .filter(({ mission }) => of === undefined || mission === of)
    .sort((a, b) => order.get(a.mission)! - order.get(b.mission)! || place(order, a) - place(order, b))
}

/** The base comes first. */
function place(order: ReadonlyMap<string, number>, conflict: Conflict): number {
  return order.get(conflict.with) ?? -1
}

/**
 * The missions that may have changed the same files as one of them since they started. One git tells, however many they
 * are, so that missions which have nothing to do with each other cost nothing.
 */
async function missionsNear(
  id: MissionId,
  repo: MissionRepo,
  missions: readonly MissionRecord[],
  refs: Refs,
  options: RepoGitOptions,
): Promise<readonly MissionRecord[]> {
  const nowOf = (mission: Pick<MissionRecord, 'id'>) => refs.get(keptRefs(mission.id).now)?.commit
  const input = missions.flatMap(mission => {
    const now = nowOf(mission)
    return now === undefined || mission.base_commit === null ? [] : [`${now} ${mission.base_commit}\n`]
  })
  if (input.length < 2) return missions
  const listed = await libraryGit(repo, [...listNames, '--stdin'], { ...options, input: input.join('') })
  // The library may no longer have the commit that one of them started from.
  if (listed.exitCode !== 0) return missions
  const changes = new Map(input.map(line => [line.split(' ')[0], nothingChanged()]))
  const words = listed.stdout.split('\0')
  for (let at = 0, changed = nothingChanged(); at + 1 < words.length; ) {
    const next = changes.get(words[at])
    if (next === undefined) addFile(changed, words[at]!, words[at + 1]!)
    changed = next ?? changed
    at += next === undefined ? 2 : 1
  }
  const own = changes.get(nowOf({ id }))
  return missions.filter(mission => {
    const changed = changes.get(nowOf(mission))
    return mission.id === id || !own || !changed || overlap(own, changed)
  })
}

interface Changed {
  files: Set<string>
  /** Directories that have lost a file: git may take them for renamed, and new files in them for misplaced. */
  shrunk: Set<string>
  /** All directories above the files. */
  above: Set<string>
}

interface Work extends Changed {
  id: MissionId
  /** The recorded state of the mission's directory. */
  commit: string
  /** What has happened on its base since it started. Null if that is the same commit, or no branch. */
  tip: (Changed & { commit: string; tree: string }) | null
}

async function readWorks(
  repo: MissionRepo,
  missions: readonly MissionRecord[],
  refs: Refs,
  options: RepoGitOptions,
): Promise<Work[]> {
  const works: Work[] = []
  await forEachInParallel(missions, mergesAtOnce, async mission => {
    const commit = refs.get(keptRefs(mission.id).now)?.commit
    if (commit === undefined) return
    const tip = refs.get(baseBranchRef(mission)) ?? null
    const from = tip?.commit ?? mission.base_commit ?? refs.get('HEAD')?.commit
    const own = await changedSince(repo, from, commit, options)
    if (own.files.size === 0) return
    const changed =
      tip === null || tip.commit === mission.base_commit
        ? null
        : { ...tip, ...(await changedSince(repo, commit, tip.commit, options)) }
    works.push({ id: mission.id, commit, ...own, tip: changed })
  })
  return works
}

type Refs = ReadonlyMap<string, { commit: string; tree: string }>

/** The branches of the repo and the states of its missions, by name. `HEAD` is the default branch. */
async function readRefs(repo: MissionRepo, bases: readonly string[], options: RepoGitOptions): Promise<Refs> {
  const format = '%(objectname) %(tree) %(HEAD) %(refname)'
  const ofOrigin = bases.filter(ref => ref.startsWith('refs/remotes/'))
  const patterns = ['refs/heads/', keptRefs('*' as MissionId).now, ...new Set(ofOrigin)]
  const args = ['for-each-ref', `--format=${format}`, ...patterns]
  const listed = await outputOf(libraryGit(repo, args, options), 'cannot read the library')
  const found = new Map<string, { commit: string; tree: string }>()
  for (const line of listed.split('\n')) {
    const [, commit, tree, head, ref] = /^(\S+) (\S+) ([* ]) (.+)$/.exec(line) ?? []
    if (ref === undefined) continue
    found.set(ref, { commit: commit!, tree: tree! })
    if (head === '*') found.set('HEAD', { commit: commit!, tree: tree! })
  }
  return found
}

/** What differs between `to` and its newest common commit with `from`. */
async function changedSince(
  repo: MissionRepo,
  from: string | undefined,
  to: string,
  options: RepoGitOptions,
): Promise<Changed> {
  const since = from && (await libraryGit(repo, [...listNames, '--merge-base', from, to], options))
  const listed =
    since && since.exitCode === 0
      ? since.stdout
      : await outputOf(
          libraryGit(repo, [...listNames, await emptyTree(repo), to], options),
          'cannot compare the files',
        )
  const parts = listed.split('\0')
  const changed = nothingChanged()
  for (let index = 0; index + 1 < parts.length; index += 2) addFile(changed, parts[index]!, parts[index + 1]!)
  return changed
}

const listNames = ['diff-tree', '-r', '-z', '--name-status', '--no-renames']

function nothingChanged(): Changed {
  return { files: new Set(), shrunk: new Set(), above: new Set() }
}

function addFile(changed: Changed, status: string, path: string): void {
  changed.files.add(path)
  if (status === 'D') changed.shrunk.add(directoryOf(path))
  for (let above = path; above !== ''; ) {
    above = directoryOf(above)
    if (changed.above.has(above)) break
    changed.above.add(above)
  }
}

/** The root is the empty text. */
function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a merge of both can conflict at all. This costs far less than the merge. */
function overlap(one: Changed, other: Changed): boolean {
  return touches(one, other) || touches(other, one)
}

function touches(one: Changed, other: Changed): boolean {
  return (
    [...one.files].some(file => other.files.has(file) || other.above.has(file)) ||
    [...one.shrunk].some(directory => other.above.has(directory))
  )
}
