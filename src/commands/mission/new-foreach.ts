import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findClaude } from '../../claude/find-claude.ts'
import { refuseBypassAsRoot } from '../../claude/permission-mode.ts'
import { readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { ExitCode, explainSystemError, isAgencError, usageError } from '../../errors.ts'
import { readAll } from '../../io/blocking-io.ts'
import { StatusLine } from '../../io/status-line.ts'
import { cleanText, truncate } from '../../io/text.ts'
import { type Done, type Outcome, runQueue } from '../../loop/foreach.ts'
import { type Order, parseOrders, refuseProblems } from '../../loop/foreach-lines.ts'
import { callerOf } from '../../mission/calling-mission.ts'
import { checkMode } from '../../mission/check-mode.ts'
import type { ResultJson } from '../../mission/mission-json.ts'
import { missionName } from '../../mission/naming.ts'
import { countRunning, mostRunning } from '../../mission/start-limits.ts'
import { type MissionId, shortId } from '../../mission-id.ts'
import { endingSignals } from '../../system/signals.ts'
import { type Chosen, chooseSource, createFrom, type NewInput, refuseHeadless } from './wished-mission.ts'

const usualMaxRunning = 4
const titleColumns = 60

/** One line, ready to start. */
interface Ready {
  order: Order
  input: NewInput
  chosen: Chosen
}

/** Runs one mission without a terminal per line of a file. Resolves to the exit code when all are done. */
export async function newForeach(context: Context, input: NewInput): Promise<number> {
  refuseStray(input)
  const wanted = parseMaxRunning(input.maxRunning)
  const orders = parseOrders(readLines(context, input.foreach!))
  for (const mode of new Set([input.permissionMode, ...orders.map(order => order.mode)]))
    if (mode !== undefined) await checkMode(context, mode)
  const config = await readConfig(context.paths)
  const { claude } = config
  findClaude(claude.command, context.env)
  const maxRunning = await withStore(context, db => withinLimits(context, db, config, wanted))
  const ready = await withStore(context, db => checkAll(context, db, input, orders, claude.args))
  const status = new StatusLine(context.err)
  const interrupt = new AbortController()
  const onSignal = () => interrupt.abort()
  for (const name of endingSignals) process.on(name, onSignal)
  const outcomes = await runQueue(context, {
    orders: ready,
    maxRunning,
    create: (db, { input, chosen }) => createFrom(context, db, input, chosen),
    onProgress: ({ done, running, failed, all }) =>
      status.show(
        `${done} of ${all} done, ${running} running${failed > 0 ? `, ${failed} failed` : ''} · Ctrl-C starts no more`,
      ),
    onDone: done => {
      status.clear()
      if (!input.json) context.out.line(outcomeLine(done))
    },
    signal: interrupt.signal,
  }).finally(() => {
    status.clear()
    for (const name of endingSignals) process.off(name, onSignal)
  })
  if (input.json) context.out.line(JSON.stringify(outcomes.map(outcomeJson)))
  if (interrupt.signal.aborted && outcomes.some(({ outcome }) => isOpen(outcome))) {
    sayWhatIsLeft(context, outcomes)
    return ExitCode.cancelled
  }
  return outcomes.every(({ outcome }) => outcome === 'ok') ? ExitCode.ok : ExitCode.failed
}

function refuseStray(input: NewInput): void {
  const { prompt, name, dir, clone, branch, pr, focus, detach, here, form, wait } = input
  const given = { prompt, name, dir, clone, branch, pr, focus, detach, here, form, wait }
  const stray = Object.entries(given).find(([, value]) => value !== undefined)
  if (stray)
    throw usageError(
      `--foreach and --${stray[0]} exclude each other`,
      'Each line has a prompt, and may set repo, name, mode and model: {"prompt":"…","repo":"owner/name"}',
    )
}

function parseMaxRunning(text: string | undefined): number {
  if (text === undefined) return usualMaxRunning
  if (/^\d+$/.test(text) && Number(text) >= 1) return Number(text)
  throw usageError(`--max-running ${JSON.stringify(text)} is not a number of missions`, 'Use 1 or more.')
}

/** Together with the missions that run already, no more than the settings allow, or the memory of this machine. */
function withinLimits(context: Context, db: Database, config: Config, wanted: number): number {
  const left = mostRunning(config) - countRunning(context, db)
  const most = Math.max(1, Math.min(left, callerOf(context, db) ? config.missions.max_children : left))
  if (wanted > most)
    context.err.line(`agenc: No more than ${most} of them run at the same time. See missions.max_running.`)
  return Math.min(wanted, most)
}

function readLines(context: Context, file: string): string {
  if (file === '-') return readAll(0)
  try {
    return readFileSync(resolve(context.cwd, file), 'utf8')
  } catch (error) {
    const problem = explainSystemError(error, context.paths.home)
    throw usageError(
      `cannot read ${file}: ${problem?.message ?? String(error)}`,
      'Name a file, or - for stdin.',
    )
  }
}

/** Nothing starts unless every line can. */
async function checkAll(
  context: Context,
  db: Database,
  input: NewInput,
  orders: readonly Order[],
  claudeArgs: readonly string[],
): Promise<Ready[]> {
  const problems: string[] = []
  const ready: Ready[] = []
  const config = await readConfig(context.paths)
  for (const order of orders) {
    try {
      const own = inputOf(input, order)
      if (own.repo === undefined && !own.blank)
        throw usageError('no repo: name one on the command line, or in the line')
      refuseBypassAsRoot(own.permissionMode ?? null, claudeArgs, context.env)
      if (own.name !== undefined) missionName(own.name)
      const chosen = await chooseSource(context, db, own)
      await refuseHeadless(context, own, chosen.source, chosen.repo, config)
      ready.push({ order, input: own, chosen })
    } catch (error) {
      if (!isAgencError(error)) throw error
      problems.push(`line ${order.line}: ${error.message}`)
    }
  }
  refuseProblems(problems, orders.length)
  return ready
}

function inputOf(input: NewInput, { prompt, repo, name, mode, model }: Order): NewInput {
  const { foreach: _, maxRunning: __, json: ___, ...common } = input
  return {
    ...common,
    prompt,
    headless: true,
    ...(name === undefined ? {} : { name }),
    ...(repo === undefined ? {} : { repo, blank: false }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(model === undefined ? {} : { model }),
  }
}

function titleOf({ name, prompt }: Order): string {
  return truncate(cleanText(name ?? prompt.split('\n')[0]!), titleColumns)
}

function outcomeLine({ order: { order }, id, outcome, result, reason }: Done<Ready>): string {
  const said = cleanText(reason ?? result?.text?.split('\n')[0] ?? '')
  return `${id === null ? '-' : shortId(id)}  ${outcome}  ${titleOf(order)}${said === '' ? '' : `: ${said}`}`
}

/** One line in the published JSON. */
export interface ForeachJson {
  line: number
  id: MissionId | null
  short_id: string | null
  name: string | null
  repo: string | null
  prompt: string
  outcome: Outcome
  reason: string | null
  result: ResultJson | null
}

function outcomeJson({ order: { order, chosen }, id, outcome, result, reason }: Done<Ready>): ForeachJson {
  const { line, prompt, name = null } = order
  const short_id = id && shortId(id)
  return { line, id, short_id, name, repo: chosen.repo, prompt, outcome, reason, result }
}

function isOpen(outcome: Outcome): boolean {
  return outcome === 'running' || outcome === 'not_started'
}

function sayWhatIsLeft({ err }: Context, outcomes: readonly Done<Ready>[]): void {
  const running = outcomes.filter(({ outcome }) => outcome === 'running')
  const ids = running.flatMap(({ id }) => (id === null ? [] : [shortId(id)]))
  if (ids.length > 0) {
    err.line(`Still running: ${ids.join(', ')}. Each ends when its turn is over and it has nothing to do.`)
    err.line(`Stop them with: agenc mission stop ${ids.join(' ')}`)
  }
  const lines = outcomes
    .filter(({ outcome }) => outcome === 'not_started')
    .map(({ order }) => order.order.line)
  if (lines.length > 0) err.line(`Not started: ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}.`)
}
