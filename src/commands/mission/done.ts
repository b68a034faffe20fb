import { existsSync } from 'node:fs'
import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { getMission, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { isCancelled } from '../../errors.ts'
import { whatHasNotArrived } from '../../git-work/arrived.ts'
import { freeDirectory } from '../../git-work/free-directory.ts'
import { ignoredOnlyHere } from '../../git-work/ignored-files.ts'
import { whatLibraryCannotKeep } from '../../git-work/not-kept.ts'
import { formatBytes } from '../../io/disk-size.ts'
import { explainFailure } from '../../io/explain-failure.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { cleanText } from '../../io/text.ts'
import { archiveMissions, dismissEndings } from '../../mission/archive.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { missionService } from '../../mission/open-service.ts'
import { missionTitle, tellDone } from '../../mission/tell-done.ts'
import { type MissionId, shortId } from '../../mission-id.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

interface Input {
  missions: string[]
  yes?: boolean
  force?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Finish missions whose work has arrived: stop and archive them, and free their directories. Work has arrived if it was merged, picked or squashed into the base, or pushed, or pulled into your checkout. A mission with other work is kept, and that work is listed.',
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [
    {
      flags: '-y, --yes',
      description: 'delete ignored files, and what the library cannot keep, without asking',
      destructive: true,
    },
    {
      flags: '-f, --force',
      description: 'also finish missions whose work has not arrived; the library keeps it',
      destructive: true,
    },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc mission done 3f2a', 'agenc mission done 3f2a 91bc --yes'],
  async run(context, { missions: words, yes, force = false, json }) {
    return withStore(context, async db => {
      const chosen = await chooseMissions(context, db, words, {
        title: 'Finish a mission',
        order: [['stopped', 'crashed'], ['running']],
      })
      const kept = new Map<MissionId, string[]>()
      for (const mission of chosen) {
        const reasons = await whyKept(context, db, mission, force)
        if (reasons.length > 0) kept.set(mission.id, reasons)
      }
      const arrived = chosen.filter(({ id }) => !kept.has(id))
      await confirmLosses(context, db, arrived, { yes, force })
      for (const { id } of arrived) {
        const reasons = await despiteHangup(() => finish(context, db, id, force))
        if (reasons.length > 0) kept.set(id, reasons)
      }
      report(context, chosen, kept, json)
      return kept.size > 0 ? 1 : 0
    })
  },
})

/** Why a mission cannot be finished now. Empty if it can. */
async function whyKept(
  context: Context,
  db: Database,
  mission: MissionRecord,
  force: boolean,
): Promise<string[]> {
  if (context.env.AGENC_MISSION_UUID === mission.id)
    return ['this command runs inside of it, and would end with it; run it in another window']
  const isRunning = statusNow(context, mission) === 'running'
  if (isRunning && mission.state === 'busy' && !force)
    return [`its Claude is working; stop it first: agenc mission stop ${shortId(mission.id)}`]
  return force ? [] : whatHasNotArrived(context, db, mission)
}

async function confirmLosses(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
  { yes, force }: { yes: boolean | undefined; force: boolean },
): Promise<void> {
  if (yes) return
  const lines: string[] = []
  for (const mission of missions) {
    const notKept = force ? await whatLibraryCannotKeep(context, mission) : []
    if (notKept.length > 0) lines.push(`The library cannot keep of ${missionTitle(mission)}:`)
    lines.push(...notKept.map(line => `  ${line}`))
    const entries = await ignoredOnlyHere(context, db, mission)
    if (entries.length === 0) continue
    lines.push(`Ignored files that exist only in ${missionTitle(mission)}:`)
    lines.push(...entries.map(({ path, bytes }) => `  ${cleanText(path)} (${formatBytes(bytes)})`))
  }
  if (lines.length === 0) return
  for (const line of lines) context.err.line(line)
  await confirmOrFlag(context, 'Delete them with the directory?', yes)
}

/**
 * The session closes with its last mission, and with it the popup that this command may run in. That also ends the git
 * that runs at this moment, so the work is done again.
 */
async function despiteHangup(work: () => Promise<string[]>): Promise<string[]> {
  let hangups = 0
  const onHangup = () => {
    hangups += 1
  }
  process.on('SIGHUP', onHangup)
  try {
    for (;;) {
      const before = hangups
      const outcome = await work().catch((error: unknown) => ({ error }))
      // The end of a child may be reported before our own signal.
      await new Promise(resolve => setImmediate(resolve))
      const isCutOff = 'error' in outcome || outcome.length > 0
      if (isCutOff && hangups > before) continue
      if ('error' in outcome) throw outcome.error
      return outcome
    }
  } finally {
    process.off('SIGHUP', onHangup)
  }
}

/** Stops, frees and archives. If that fails on the way, the mission stays in the list with everything it has. */
async function finish(context: Context, db: Database, id: MissionId, force: boolean): Promise<string[]> {
  const mission = getMission(db, id)
  if (!mission) return ['it was deleted in the meantime']
  try {
    if (statusNow(context, mission) === 'running') {
      const left = await stopMissions(context, db, [mission])
      if (left.length > 0) throw stillRunning(left)
      // Its Claude may have written something in the last moment.
      const more = force ? [] : await whatHasNotArrived(context, db, mission)
      if (more.length > 0) return more
    } else await stopMissions(context, db, [mission])
    if (mission.repo !== null && mission.copy_pending === null)
      await freeDirectory(context, db, getMission(db, id) ?? mission).catch(error => {
        // Without a directory, another process was finishing it at the same time.
        if (existsSync(context.paths.mission(id).agent)) throw error
      })
  } catch (error) {
    if (isCancelled(error)) throw error
    const { message, hint } = explainFailure(error, context.paths.home)
    return [message, ...(hint ? [hint] : [])]
  }
  const missions = missionService(context, db)
  archiveMissions(missions, [mission])
  dismissEndings(missions, [mission])
  closeExplanations(tmuxOf(context), [id])
  return []
}

function report(
  context: Context,
  chosen: readonly MissionRecord[],
  kept: ReadonlyMap<MissionId, readonly string[]>,
  json: boolean | undefined,
): void {
  const done = chosen.filter(({ id }) => !kept.has(id))
  if (json) {
    const rows = chosen.map(({ id }) => ({ id, done: !kept.has(id), kept_because: kept.get(id) ?? [] }))
    context.out.line(JSON.stringify(rows))
    return
  }
  tellDone(context, 'Finished', done)
  for (const mission of chosen.filter(({ id }) => kept.has(id))) {
    context.err.line(`${missionTitle(mission)} is kept:`)
    for (const reason of kept.get(mission.id)!) context.err.line(`  ${reason}`)
  }
  if (kept.size > 0)
    context.err.line(
      'Bring its work out with pull, push or pr, or finish it with --force: the library keeps the work.',
    )
}
