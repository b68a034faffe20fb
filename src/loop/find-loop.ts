import type { Context } from '../context.ts'
import { type LoopRecord, listLoops } from '../db/loops.ts'
import { listMissions } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { usageError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { resolveMission } from '../mission/resolve-mission.ts'
import { type LoopJson, loopJson, shortLoopId } from './loop-json.ts'
import { isRun } from './loop-lease.ts'
import { loopLogPath } from './loop-log.ts'

const shortestPrefix = 4
const mostCandidates = 8

/** Accepts the beginning of a loop's id (at least 4 characters), or the mission of the loop. Its newest loop is meant. */
export function findLoop(context: Context, db: Database | null, word: string | undefined): LoopRecord {
  const loops = db ? listLoops(db) : []
  if (word === undefined) return onlyLoop(loops)
  const lower = word.toLowerCase()
  const byId = loops.filter(({ id }) => lower.length >= shortestPrefix && id.startsWith(lower))
  if (byId.length === 1) return byId[0]!
  if (byId.length > 1)
    throw usageError(`${JSON.stringify(word)} matches ${byId.length} loops`, candidates(byId))
  const missions = (db ? listMissions(db, { archived: true }) : []).filter(({ id }) =>
    loops.some(({ mission_id }) => mission_id === id),
  )
  if (missions.length === 0) throw usageError(`no loop ${JSON.stringify(cleanText(word))}`, candidates(loops))
  const { id } = resolveMission(word, missions, context.env)
  return loops.find(({ mission_id }) => mission_id === id)!
}

function onlyLoop(loops: readonly LoopRecord[]): LoopRecord {
  if (loops.length === 1) return loops[0]!
  throw usageError('No loop given.', candidates(loops))
}

function candidates(loops: readonly LoopRecord[]): string {
  if (loops.length === 0) return "There are no loops yet: start one with 'agenc loop start'."
  const lines = loops.slice(0, mostCandidates).map(({ id, status }) => `  ${shortLoopId(id)}  ${status}`)
  return ['Loops:', ...lines].join('\n')
}

export function describeLoops(context: Context, db: Database, loops: readonly LoopRecord[]): LoopJson[] {
  const names = new Map(listMissions(db, { archived: true }).map(({ id, name }) => [id, name]))
  return loops.map(loop =>
    loopJson(loop, {
      missionName: names.get(loop.mission_id) ?? null,
      isRun: isRun(context, loop),
      log: loopLogPath(context.paths, loop),
    }),
  )
}

/** The loop that the user named, as it is now. */
export function loopNow(context: Context, word: string | undefined): Promise<LoopJson> {
  return readStore(context, db => describeLoops(context, db!, [findLoop(context, db, word)])[0]!)
}
