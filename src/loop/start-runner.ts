import type { StdioOptions } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { withoutSessionVariables } from '../claude/claude-environment.ts'
import type { Context } from '../context.ts'
import {
  getLoop,
  insertLoop,
  type LoopChange,
  type LoopRecord,
  type LoopWish,
  type Round,
} from '../db/loops.ts'
import { getMessage } from '../db/messages.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, isCancelled } from '../errors.ts'
import { randomUuid } from '../io/random.ts'
import { untilChange } from '../mission/followers.ts'
import type { MissionId } from '../mission-id.ts'
import {
  formatIdentity,
  isSameProcess,
  ownIdentity,
  type ProcessIdentity,
  systemProbe,
} from '../system/process-identity.ts'
import { whyNotStarted } from '../system/runner.ts'
import { shortLoopId } from './loop-json.ts'
import { changeLoop, refuseSecondLoop, runnerOf, takeLoop } from './loop-lease.ts'
import { loopLogPath } from './loop-log.ts'

/** Stores a loop and starts its runner. Resolves when the runner has it. */
export async function startLoop(
  context: Context,
  db: Database,
  mission: MissionId,
  wish: LoopWish,
): Promise<LoopRecord> {
  const own = ownIdentity(systemProbe(context.exec))
  const id = randomUuid()
  db.transaction(() => {
    refuseSecondLoop(context, db, mission)
    insertLoop(db, {
      id,
      mission_id: mission,
      wish,
      runner_pid: own.pid,
      runner_start: own.start,
      created_at: context.now().toISOString(),
    })
  }).immediate()
  return startRunner(context, db, id, own)
}

/** Starts another runner for a loop that has ended, or whose runner was killed. */
export async function continueLoop(
  context: Context,
  db: Database,
  id: string,
  limits: Partial<LoopWish>,
): Promise<LoopRecord> {
  const own = ownIdentity(systemProbe(context.exec))
  takeLoop(context, db, id, own, {
    change: loop => goOn(loop, limits, context.now(), round => wasNotGiven(db, round)),
  })
  return startRunner(context, db, id, own)
}

/** Limits count from here on. Only a round whose turn is not over belongs to the new run. */
function goOn(
  { wish, rounds, status }: LoopRecord,
  limits: Partial<LoopWish>,
  now: Date,
  wasNotGiven: (round: Round) => boolean,
): LoopChange {
  if (status === 'succeeded')
    throw new AgencError('the loop has succeeded already', 'Start another one with: agenc loop start')
  const last = rounds.at(-1)
  const isInTurn = last !== undefined && last.turn === null
  const again = isInTurn && wasNotGiven(last) ? { ...last, message_id: null } : last
  return {
    status: 'running',
    reason: null,
    resets_at: null,
    ended_at: null,
    wish: { ...wish, ...limits },
    rounds: again === undefined ? [] : [...rounds.slice(0, -1), again],
    run_at: now.toISOString(),
    run_from: isInTurn ? rounds.length - 1 : rounds.length,
  }
}

/** Whether Claude never got the prompt, and never will. */
function wasNotGiven(db: Database, { message_id }: Round): boolean {
  const status = message_id === null ? null : getMessage(db, message_id)?.status
  return status === undefined || status === 'cancelled' || status === 'not_taken'
}

/** The runner has a session of its own, so it outlives this process and its terminal. */
async function startRunner(
  context: Context,
  db: Database,
  id: string,
  own: ProcessIdentity,
): Promise<LoopRecord> {
  const env = withoutSessionVariables(context.env)
  const [program, ...script] = context.self
  const logPath = loopLogPath(context.paths, getLoop(db, id)!)
  const log = openSync(logPath, 'a', 0o600)
  const saidFrom = fstatSync(log).size
  const args = [...script, 'loop', '_run', id, '--from', formatIdentity(own)]
  const stdio: StdioOptions = ['ignore', log, log]
  const runner = context.exec.start(program!, args, { cwd: context.paths.home, env, stdio, detached: true })
  closeSync(log)
  const failed = new AbortController()
  let cause: string | null = null
  runner.on('error', error => {
    cause = whyNotStarted(error)
    failed.abort()
  })
  runner.on('exit', () => failed.abort())
  const isTaken = () => {
    const loop = getLoop(db, id)
    return loop === undefined || !isSameProcess(runnerOf(loop), own) ? true : undefined
  }
  try {
    await untilChange(context, isTaken, { signal: failed.signal })
  } catch (error) {
    if (!isCancelled(error)) throw error
    if (isTaken() === undefined) {
      const why = cause ?? readFileSync(logPath).subarray(saidFrom).toString('utf8').trim()
      const reason = `its runner did not start: ${why}`
      changeLoop(context, db, id, { status: 'failed', reason, runner_pid: null, runner_start: null })
      throw new AgencError(`loop ${shortLoopId(id)} cannot run: ${why}`)
    }
  } finally {
    runner.unref()
  }
  return getLoop(db, id)!
}
