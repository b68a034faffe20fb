import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { listEvents } from '../db/events.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { tryWithLock } from '../io/lock.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { baseOf, emptyTree } from './changes.ts'
import { checkpointEvent, recordCheckpoint } from './checkpoint.ts'
import { updateConflicts } from './conflicts.ts'
import { refuseForeignDirectory } from './landing.ts'
import { keptRefs, libraryGit, type MissionRepo, missionRepo, outputOf } from './mission-repo.ts'
import { putBack } from './put-back.ts'
import { requireDirectory } from './rebuild-directory.ts'
import { takeSnapshot } from './snapshot.ts'

export interface Undone {
  /** The checkpoint whose files are back. 0 stands for the base. */
  turn: number
  files: number
  /** The checkpoint that has the state before. */
  recorded: number
}

/**
 * Puts the files of a checkpoint back: by default the state before the latest turn. The present state is recorded first,
 * and the result after it, so that this can be undone too.
 */
export async function undoTurns(
  context: Context,
  db: Database,
  mission: MissionRecord,
  wanted: number | undefined,
  signal: AbortSignal,
): Promise<Undone> {
  refuseForeignDirectory(mission)
  const repo = missionRepo(context, mission)
  requireDirectory(context, mission)
  refuseBusy(context, mission)
  let undone: Undone | undefined
  const isDone = await tryWithLock(`${context.paths.mission(mission.id).root}/undo`, async () => {
    undone = await undo(context, db, repo, mission, wanted, signal)
  })
  if (!isDone)
    throw new AgencError(
      `another undo of ${missionTitle(mission)} is running`,
      'Try again when it has finished.',
    )
  return undone!
}

async function undo(
  context: Context,
  db: Database,
  repo: MissionRepo,
  mission: MissionRecord,
  wanted: number | undefined,
  signal: AbortSignal,
): Promise<Undone> {
  const missions = missionService(context, db)
  const turns = await listTurns(repo, signal)
  const turn = wanted ?? stateBeforeLatestTurn(db, mission, turns)
  if (turn !== 0 && !turns.includes(turn)) throw noSuchTurn(mission, turn, turns)
  const now = await recordCheckpoint(context, missions, mission, { signal })
  const target =
    turn === 0
      ? ((await baseOf(repo, mission, now.head)) ?? (await emptyTree(repo)))
      : `${keptRefs(repo.id).checkpoints}${turn}`
  refuseBusy(context, getMission(db, mission.id) ?? mission)
  const { checkpoint_exclude: exclude } = (await readConfig(context.paths)).missions
  try {
    const files = await putBack(repo, now.commit, target, { exclude, signal })
    await recordCheckpoint(context, missions, mission)
    // Only marks, which an older git cannot find.
    await updateConflicts(context, missions, mission).catch(() => {})
    return { turn, files, recorded: now.turn }
  } catch (error) {
    await restore(context, repo, mission, now, exclude)
    throw error
  }
}

/** A file that cannot be written, or Ctrl-C, may have stopped git between two files. */
async function restore(
  context: Context,
  repo: MissionRepo,
  mission: MissionRecord,
  before: { commit: string; turn: number },
  exclude: readonly string[],
): Promise<void> {
  try {
    const { commit } = await takeSnapshot(repo, { exclude, now: context.now() })
    await putBack(repo, commit, before.commit, { exclude })
  } catch (error) {
    throw new AgencError(
      `the files of ${missionTitle(mission)} were put back only in part: ${(error as Error).message}`,
      `All of its files are in checkpoint ${before.turn}. When the problem is solved: agenc mission undo ${shortId(mission.id)} --turn ${before.turn}`,
    )
  }
}

function refuseBusy(context: Context, mission: MissionRecord): void {
  const isInTurn = mission.state === 'busy' || mission.state === 'waiting'
  if (!isInTurn || statusNow(context, mission) !== 'running') return
  throw new AgencError(
    `${missionTitle(mission)} is in the middle of a turn`,
    `Wait until it is idle, or stop it with: agenc mission stop ${shortId(mission.id)}`,
  )
}

async function listTurns(repo: MissionRepo, signal: AbortSignal): Promise<number[]> {
  const args = ['for-each-ref', '--format=%(refname:lstrip=4)', keptRefs(repo.id).checkpoints]
  const listed = await outputOf(libraryGit(repo, args, { signal }), 'cannot read the library')
  return listed.split('\n').filter(Boolean).map(Number)
}

function stateBeforeLatestTurn(db: Database, mission: MissionRecord, turns: readonly number[]): number {
  if (turns.length === 0)
    throw new AgencError(
      `no turn of ${missionTitle(mission)} was recorded`,
      `To get back the files that it started with: agenc mission undo ${shortId(mission.id)} --turn 0`,
    )
  const last = Math.max(...turns)
  return isLatestTurnRecorded(db, mission.id) ? last - 1 : last
}

/** A checkpoint may be late, or have failed. */
function isLatestTurnRecorded(db: Database, id: MissionId): boolean {
  const events = listEvents(db, id)
  const checkpoint = events.findLast(({ kind }) => kind === checkpointEvent)
  const turn = events.findLast(({ kind, data }) => kind === 'state' && data.state === 'busy')
  return checkpoint === undefined || turn === undefined || turn.at <= String(checkpoint.data.since)
}

function noSuchTurn(mission: MissionRecord, turn: number, turns: readonly number[]): AgencError {
  const known = turns.length === 0 ? 'none' : `${Math.min(...turns)} to ${Math.max(...turns)}`
  return new AgencError(
    `${missionTitle(mission)} has no checkpoint ${turn}`,
    `It has ${known}. 0 stands for the files that it started with.`,
  )
}
