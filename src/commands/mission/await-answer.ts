import type { Context } from '../../context.ts'
import { getMission, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, ExitCode, isCancelled } from '../../errors.ts'
import { cleanLines } from '../../io/text.ts'
import { untilChange } from '../../mission/followers.ts'
import { lastMessageOf } from '../../mission/last-message.ts'
import { describeMissions } from '../../mission/list.ts'
import type { ResultJson } from '../../mission/mission-json.ts'
import { WrapperLives } from '../../mission/wrapper-lives.ts'
import { type MissionId, shortId } from '../../mission-id.ts'

/**
 * Waits until the turn of a mission without a terminal is over, and prints what Claude said. Resolves to the exit code.
 * Ctrl-C ends only the waiting.
 */
export async function awaitAnswer(context: Context, id: MissionId, json: boolean): Promise<number> {
  const result = await untilResult(context, id)
  const missions = await readStore(context, db => {
    const mission = db && json ? getMission(db, id) : undefined
    return mission ? describeMissions(context, db!, [mission]) : []
  })
  for (const mission of missions) context.out.line(JSON.stringify(mission))
  if (result === null && missions.length === 0)
    throw new AgencError(
      `mission ${shortId(id)} ended before Claude had answered`,
      `See what happened with: agenc mission show ${shortId(id)}`,
    )
  if (!json && result !== null) printAnswer(context, id, result)
  if (result?.time_ran_out) return ExitCode.timeRanOut
  return result === null || result.is_error ? ExitCode.failed : ExitCode.ok
}

function printAnswer({ out, err, paths }: Context, id: MissionId, { text, is_error }: ResultJson): void {
  const said = lastMessageOf(paths, { id, last_message: text }) ?? ''
  if (!is_error) out.line(out.isTerminal ? cleanLines(said) : said)
  else err.line(`agenc: ${cleanLines(text ?? 'The turn was interrupted.')}`)
}

async function untilResult(context: Context, id: MissionId): Promise<ResultJson | null> {
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  let lives: WrapperLives | undefined
  process.once('SIGINT', onInterrupt)
  try {
    const look = (db: Database | null, wake: () => void) => {
      lives ??= new WrapperLives(context, wake)
      return endOfTurn(lives, (db && getMission(db, id)) ?? undefined)
    }
    const ended = await untilChange(context, look, { signal: interrupt.signal })
    return ended?.result ?? null
  } catch (error) {
    if (isCancelled(error))
      context.err.line(
        `${shortId(id)} goes on. Follow it with 'agenc mission print --follow ${shortId(id)}', or end it with 'agenc mission stop ${shortId(id)}'.`,
      )
    throw error
  } finally {
    process.off('SIGINT', onInterrupt)
    lives?.close()
  }
}

/** Undefined while the turn runs. The result arrives a little later than the end of the turn itself. */
function endOfTurn(
  lives: WrapperLives,
  mission: MissionRecord | undefined,
): { result: ResultJson | null } | undefined {
  if (!mission) return { result: null }
  const { state, background, result } = mission
  const ended = { result: result === null ? null : (JSON.parse(result) as ResultJson) }
  if (lives.statusesOf([mission])[0] !== 'running') return ended
  return result !== null && state === 'idle' && background === 0 ? ended : undefined
}
