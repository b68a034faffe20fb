import { readHolds } from '../../approvals/hold.ts'
import { maskInput } from '../../approvals/mask-secrets.ts'
import { requestSummary } from '../../approvals/request-summary.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import {
  type AnswerDetails,
  type Approval,
  type ApprovalDecision,
  listApprovals,
} from '../../db/approvals.ts'
import { getMission } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { readStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import type { Style } from '../../io/colour.ts'
import { ago, parseSince } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionDirectory } from '../../mission/mission-directory.ts'
import { statusesOf } from '../../mission/mission-status.ts'
import { type MissionId, shortId } from '../../mission-id.ts'

interface Input {
  mission?: string
  tool?: string
  decision?: string
  since?: string
  json?: boolean
}

export default defineCommand<Input>({
  description: 'List permission requests and their answers, oldest first.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.' (default: all)" },
  ],
  options: [
    { flags: '--tool <name>', description: 'only this tool' },
    { flags: '--decision <word>', description: 'only allow, deny, or ask (no answer, or none yet)' },
    { flags: '--since <time>', description: 'only since then: 2h, 3d, or a date' },
    jsonOption,
  ],
  examples: ['agenc approvals ls 3f2a', 'agenc approvals ls --decision deny --since 1d --json'],
  async run(context, { mission: word, tool, decision, since, json }) {
    const filter = {
      tool,
      decision: decision === undefined ? undefined : decisionOf(decision),
      since: since === undefined ? undefined : parseSince(since, context.now()),
    }
    const { approvals, directories } = await readStore(context, async db => {
      const mission = word === undefined ? undefined : (await chooseMission(context, db, word)).id
      const listed = db ? withAbandoned(context, db, listApprovals(db, { ...filter, mission })) : []
      return { approvals: listed, directories: directoriesOf(context, db, listed) }
    })
    if (json) context.out.line(JSON.stringify(approvals.map(approvalJson)))
    else if (approvals.length === 0) context.err.line('No permission requests found.')
    else print(context, approvals, directories)
    if (readHolds(context.paths).all !== null)
      context.err.line(
        "Automatic approvals are paused for all missions. Resume them with 'agenc hold --release'.",
      )
    return 0
  },
})

/** A mission that was killed could not record that its open requests will never be answered, so it is added here. */
function withAbandoned(context: Context, db: Database, approvals: readonly Approval[]): Approval[] {
  const open = new Set(approvals.filter(({ decided_by }) => decided_by === null).map(row => row.mission_id))
  const missions = [...open].map(id => getMission(db, id)).filter(mission => mission !== undefined)
  const statuses = statusesOf(context, missions)
  const running = new Set(missions.filter((_, at) => statuses[at] === 'running').map(({ id }) => id))
  return approvals.map(approval => {
    const isAbandoned = approval.decided_by === null && !running.has(approval.mission_id)
    return isAbandoned ? { ...approval, decided_by: 'timeout' } : approval
  })
}

export type ApprovalJson = ReturnType<typeof approvalJson>

function approvalJson(approval: Approval) {
  const { at, mission_id, tool, input, decision, rule, decided_by, latency_ms, answer } = approval
  return { at, mission_id, tool, input: maskInput(input), decision, rule, by: decided_by, latency_ms, answer }
}

function decisionOf(word: string): ApprovalDecision {
  if (word === 'allow' || word === 'deny' || word === 'ask') return word
  throw usageError(`unknown value for --decision: ${JSON.stringify(word)}`, 'Use allow, deny or ask.')
}

/** `rule?` means that the rule answered, but the user may have answered in the dialog at the same moment. */
function answeredBy({ decided_by, confirmed }: Approval): string {
  if (decided_by === null) return 'waiting'
  return confirmed === 1 ? decided_by : `${decided_by}?`
}

/** What came with the answer, on one line. */
function answerWords(details: AnswerDetails | null): string {
  const { answers = [], mode, message } = details ?? {}
  const said = answers.map(({ answer, notes }) => [answer, notes].filter(text => text !== null).join(', '))
  return cleanText([said.join(' / '), mode, message].filter(Boolean).join(', '))
}

const styles: Record<ApprovalDecision, Style> = { allow: 'green', deny: 'red', ask: 'yellow' }

function directoriesOf(
  { paths }: Context,
  db: Database | null,
  approvals: readonly Approval[],
): Map<MissionId, string> {
  const ids = [...new Set(approvals.map(({ mission_id }) => mission_id))]
  const record = (id: MissionId) => (db && getMission(db, id)) ?? { id, dir: null }
  return new Map(ids.map(id => [id, missionDirectory(paths, record(id))]))
}

function print(
  { out, now }: Context,
  approvals: readonly Approval[],
  directories: ReadonlyMap<MissionId, string>,
): void {
  const time = now()
  const cells = (text: (approval: Approval) => string) => approvals.map(text)
  printTable(out, [
    { title: 'AGO', cells: cells(({ at }) => ago(at, time)) },
    { title: 'MISSION', cells: cells(({ mission_id }) => shortId(mission_id)) },
    {
      title: 'DECISION',
      cells: cells(({ decision }) => decision),
      style: row => styles[approvals[row]!.decision],
    },
    { title: 'BY', cells: cells(answeredBy) },
    { title: 'TOOL', cells: cells(({ tool }) => cleanText(tool)) },
    {
      title: 'REQUEST',
      cells: cells(({ tool, input, mission_id, answer }) =>
        [requestSummary(tool, input, directories.get(mission_id)!), answerWords(answer)]
          .filter(Boolean)
          .join(' → '),
      ),
      shrinks: true,
    },
  ])
}
