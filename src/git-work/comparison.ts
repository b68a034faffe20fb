import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { baseLabel } from '../repo/start-point.ts'
import { interruptible } from '../system/signals.ts'
import { baseOf, emptyTree } from './changes.ts'
import { keptRefs, libraryGit, type MissionRepo, missionRepo, outputOf, ownObjects } from './mission-repo.ts'
import { takeSnapshot } from './snapshot.ts'

/** Which part of a mission's work to look at. By default all of it since the base. */
export interface WorkPart {
  /** The latest turn that was recorded. */
  last?: boolean
  turn?: number
  /** Since the latest commit. */
  uncommitted?: boolean
  /** As it was last recorded, without a look at the directory. */
  recorded?: boolean
}

/** Two states of a mission's files, both in the library. */
export interface Comparison {
  repo: MissionRepo
  from: string
  to: string
  /** The commit that the mission's work is compared with. Null if everything is new. */
  base: string | null
  /** The recorded turn that this is, if it is one. */
  turn: number | null
  /** Names the part for the user: `since main@b090269`. */
  words: string
}

export async function compareWork(
  context: Context,
  mission: MissionRecord,
  part: WorkPart,
): Promise<Comparison> {
  const isTurn = part.last || part.turn !== undefined
  if (mission.repo === null || mission.dir !== null) {
    if (isTurn || part.recorded)
      throw new AgencError(
        `nothing of ${missionTitle(mission)} is recorded`,
        `Only work in a copy of a repo is. Its changes since the latest commit: agenc mission diff ${shortId(mission.id)}`,
      )
    const { compareDirectory } = await import('./directory-comparison.ts')
    return compareDirectory(context, mission)
  }
  const repo = missionRepo(context, mission)
  if (isTurn) return compareTurn(repo, mission, part.turn)
  const { head, commit } = await presentState(context, repo, mission, part)
  const base = await baseOf(repo, mission, head)
  const from = part.uncommitted ? head : await present(repo, mission, base)
  const since = head === null || from === null ? 'since the start' : `since ${nameOf(mission, from, part)}`
  return { repo, from: from ?? (await emptyTree(repo)), to: commit, base, turn: null, words: since }
}

interface State {
  head: string | null
  commit: string
}

async function presentState(
  context: Context,
  repo: MissionRepo,
  mission: MissionRecord,
  { recorded = false }: WorkPart,
): Promise<State> {
  if (!recorded && ownObjects(repo) !== null) {
    const { missions } = await readConfig(context.paths)
    const options = { exclude: missions.checkpoint_exclude, now: context.now() }
    return interruptible(signal => takeSnapshot(repo, { ...options, signal }))
  }
  const names = keptRefs(repo.id)
  const [commit, head] = await Promise.all([commitAt(repo, names.now), commitAt(repo, names.head)])
  if (commit !== null) return { head, commit }
  throw new AgencError(
    `nothing of ${missionTitle(mission)} has been recorded yet`,
    hintOnUnrecorded(mission, repo, recorded),
  )
}

function hintOnUnrecorded(
  mission: MissionRecord,
  { directory }: MissionRepo,
  isOnlyRecorded: boolean,
): string {
  if (isOnlyRecorded) return `Run 'agenc mission diff ${shortId(mission.id)}'.`
  if (mission.copy_pending !== null) return 'Its working copy has not been made yet.'
  return `Its directory has no git repo: ${directory}`
}

async function compareTurn(
  repo: MissionRepo,
  mission: MissionRecord,
  wanted: number | undefined,
): Promise<Comparison> {
  const kept = await keptTurns(repo)
  const turns = [...kept.keys()].toSorted((a, b) => a - b)
  const turn = wanted ?? turns.at(-1)
  if (turn === undefined)
    throw new AgencError(
      `no turn of ${missionTitle(mission)} has been recorded yet`,
      `Its files are recorded when a turn ends. 'agenc mission diff ${shortId(mission.id)}' shows everything since the base.`,
    )
  const to = kept.get(turn)
  if (to === undefined)
    throw new AgencError(
      `turn ${turn} of ${missionTitle(mission)} was not recorded`,
      turns.length === 0 ? 'No turn of it was.' : `Recorded turns: ${ranges(turns)}.`,
    )
  const base = await baseOf(repo, mission, to)
  const before = turns.findLast(number => number < turn)
  const from = before === undefined ? await present(repo, mission, base) : kept.get(before)!
  return { repo, from: from ?? (await emptyTree(repo)), to, base, turn, words: `in turn ${turn}` }
}

/** The commits of the recorded turns, by number. */
async function keptTurns(repo: MissionRepo): Promise<Map<number, string>> {
  const { checkpoints } = keptRefs(repo.id)
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', checkpoints]
  const listed = await outputOf(libraryGit(repo, args), 'cannot list the recorded turns')
  const rows = listed.split('\n').filter(row => row !== '')
  return new Map(
    rows.map(row => {
      const [commit, ref] = row.split(' ') as [string, string]
      return [Number(ref.slice(checkpoints.length)), commit]
    }),
  )
}

/** `1, 3 to 7` */
function ranges(numbers: readonly number[]): string {
  const starts = numbers.filter(number => !numbers.includes(number - 1))
  const ends = numbers.filter(number => !numbers.includes(number + 1))
  return starts
    .map((start, index) => (start === ends[index] ? start : `${start} to ${ends[index]}`))
    .join(', ')
}

/** Refuses a base that the library does not have. */
async function present(
  repo: MissionRepo,
  mission: MissionRecord,
  base: string | null,
): Promise<string | null> {
  if (base === null || (await commitAt(repo, base)) !== null) return base
  throw new AgencError(
    `the commit that ${missionTitle(mission)} started from is gone: ${base.slice(0, 7)}`,
    `Run 'agenc mission diff ${shortId(mission.id)} --uncommitted', or --turn with the number of a turn.`,
  )
}

async function commitAt(repo: MissionRepo, name: string): Promise<string | null> {
  const asked = await libraryGit(repo, ['rev-parse', '--quiet', '--verify', `${name}^{commit}`])
  return asked.exitCode === 0 ? asked.stdout.trim() : null
}

/** `main@b090269` */
function nameOf({ base_ref }: MissionRecord, commit: string, { uncommitted }: WorkPart): string {
  const short = commit.slice(0, 7)
  if (uncommitted) return `the commit ${short}`
  return base_ref === null ? short : baseLabel({ ref: base_ref, commit })
}
