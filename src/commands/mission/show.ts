import { isHeld } from '../../approvals/hold.ts'
import { questionsIn } from '../../claude/question-answers.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { PendingRequest } from '../../db/approvals.ts'
import { readStore } from '../../db/with-store.ts'
import { age, localTime } from '../../io/relative-time.ts'
import { bounded, cleanText, padEnd, truncate } from '../../io/text.ts'
import { changesInFull } from '../../mission/changes-words.ts'
import { chooseMission } from '../../mission/choose.ts'
import { answerCommands, requestWords } from '../../mission/how-to-answer.ts'
import { describeRows, type MissionRow } from '../../mission/list.ts'
import type { ConflictJson, MissionJson, ResultJson } from '../../mission/mission-json.ts'
import { repoOrDirectory } from '../../mission/naming.ts'
import { stateWord } from '../../mission/state-word.ts'
import { type MissionId, shortId } from '../../mission-id.ts'
import { baseLabel } from '../../repo/start-point.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  arguments: [{ name: 'mission', description: "its name or id (the start is enough), or '.'" }],
  options: [jsonOption],
  examples: ['agenc mission show 3f2a', 'agenc mission show . --json'],
  async run(context, { mission: word, json }) {
    const row = await readStore(context, async db => {
      const record = await chooseMission(context, db, word)
      return (await describeRows(context, db!, [record]))[0]!
    })
    if (json) context.out.line(JSON.stringify(row.mission))
    else
      for (const [label, value] of describe(row, isHeld(context.paths, row.mission.id), context.now()))
        context.out.line(`${padEnd(label, 12)}${value}`)
    return 0
  },
})

function describe(row: MissionRow, isHeld: boolean, now: Date): [string, string][] {
  const { mission, windowNumber } = row
  const time = (at: string | null) => (at === null ? null : localTime(at, now))
  const mode = mission.permission_mode ?? 'chosen by Claude'
  const lines: [string, string | null][] = [
    ['id', mission.id],
    ['name', mission.name],
    ['about', mission.about],
    ['repo', mission.repo ?? repoOrDirectory(mission)],
    ['state', stateWord(mission, row)],
    ['since', time(mission.waiting_since)],
    ['branch', mission.branch],
    ['base', mission.base && `${baseLabel(mission.base)}, ${age(mission.base.at, now)} old`],
    ['changes', changesInFull(mission.changes)],
    ['directory', mission.dir],
    ['permissions', `${mode} (${mission.permission_mode_source})`],
    ['approvals', `${mission.approve}${isHeld ? ', approvals are paused' : ''}`],
    ['ports', portRange(mission)],
    ['model', mission.model],
    ['session', mission.session_id],
    ['parent', mission.parent_id],
    ['headless', mission.headless ? 'yes, it has no window' : null],
    ['result', mission.result && resultLine(mission.result, now)],
    ['window', windowNumber ? `${windowNumber} (${mission.tmux_window})` : mission.tmux_window],
    ['processes', processes(mission)],
    ['created', time(mission.created_at)],
    ['active', time(mission.last_active_at)],
    ['last exit', lastExit(mission, now)],
    ...mission.conflicts.map((conflict): [string, string] => ['conflict', conflictLine(conflict)]),
    [
      'pr',
      mission.pr && [mission.pr.number && `#${mission.pr.number}`, mission.pr.url].filter(Boolean).join(' '),
    ],
    ...mission.pending.flatMap(request => pendingLines(request, mission, now)),
    ...mission.queued.map((message): [string, string] => ['queued', queuedLine(message, now)]),
    ...mission.plans.map((plan): [string, string] => ['plan', plan]),
  ]
  return lines.flatMap(([label, value]) => (value ? [[label, cleanText(value)]] : []))
}

function resultLine(
  { text, is_error, turns, duration_ms, tokens, cost_usd, at }: ResultJson,
  now: Date,
): string {
  const counts = [
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    `${(duration_ms / 1000).toFixed(1)} s`,
    ...(tokens === null ? [] : [`${tokens.input} tokens in, ${tokens.output} out`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(4)}`]),
  ]
  const said = text === null ? 'interrupted' : bounded(text, longestAnswer)
  return `${is_error ? 'failed' : 'ok'} at ${localTime(at, now)} (${counts.join(', ')}): ${said}`
}

const longestAnswer = 300
const mostFiles = 5
const queuedColumns = 80

function conflictLine({ with: other, files }: ConflictJson): string {
  const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : ''
  const partner = other === 'base' ? 'its base' : shortId(other as MissionId)
  return `with ${partner}: ${files.slice(0, mostFiles).join(', ')}${more}`
}

/** The request, the choices of its questions, and a command that answers it. */
function pendingLines(request: PendingRequest, mission: MissionJson, now: Date): [string, string][] {
  const { id, input, since } = request
  return [
    ['pending', `${id}: ${requestWords(request, mission)}, since ${localTime(since, now)}`],
    ...questionsIn(input).map(({ text, options }, _at, { length }): [string, string] => [
      'choices',
      `${length > 1 ? `${text} ` : ''}${options.map(({ label }) => label).join(' | ')}`,
    ]),
    ['answer', answerCommands(request, mission)[0]!],
  ]
}

function queuedLine({ id, text, as, since }: MissionJson['queued'][number], now: Date): string {
  const whose = as === 'agent' ? ', of another agent' : ''
  return `${id}: ${truncate(cleanText(text), queuedColumns)}${whose}, since ${localTime(since, now)}`
}

function lastExit({ last_exit: exit }: MissionJson, now: Date): string | null {
  if (exit === null) return null
  return `${exit.signal ? `by ${exit.signal}` : `with ${exit.code}`} at ${localTime(exit.at, now)}`
}

function processes({ wrapper_pid, claude_pid }: MissionJson): string | null {
  return wrapper_pid === null ? null : `wrapper ${wrapper_pid}, claude ${claude_pid ?? 'none'}`
}

function portRange({ ports }: MissionJson): string | null {
  return ports.length === 0 ? null : `${ports[0]} to ${ports.at(-1)}`
}
