import { effectOfRule, type Match, type PastRequest } from '../../approvals/effect-of-rule.ts'
import { maskInput } from '../../approvals/mask-secrets.ts'
import { requestSummary } from '../../approvals/request-summary.ts'
import type { Decision, Rule } from '../../approvals/rule.ts'
import { ruleText } from '../../approvals/rule-text.ts'
import { type Command, defineCommand, jsonOption } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import { addRule, type NumberedRule } from '../../config/rules.ts'
import type { Context } from '../../context.ts'
import { type Approval, listApprovals } from '../../db/approvals.ts'
import { listMissions } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { effectiveApprove } from '../../mission/effective-settings.ts'
import { guardedPlaces } from '../../mission/guarded-places.ts'
import { missionDirectory } from '../../mission/mission-directory.ts'
import { knownRepoIds } from '../../repo/catalogue.ts'
import { resolveRepoOrPath } from '../../repo/choose-repo.ts'

interface Input {
  command: string
  tool?: string
  repo?: string
  json?: boolean
}

/** `approvals allow` and `approvals deny`. */
export function writeRuleCommand(decision: 'allow' | 'deny', examples: readonly string[]): Command<Input> {
  return defineCommand<Input>({
    description: `Write a rule that ${decision === 'allow' ? 'allows' : 'denies'} a command, a path or a URL. First shows which of the recorded requests it matches.`,
    arguments: [
      { name: 'command', description: "a command, a path or a URL; '*' stands for any text", required: true },
    ],
    options: [
      { flags: '--tool <name>', description: 'the tool that the rule is for (default: Bash)' },
      { flags: '--repo <repo>', description: 'only for missions on this repo' },
      jsonOption,
    ],
    examples,
    async run(context, { command, tool = 'Bash', repo: word, json }) {
      if (command.trim() === '' || tool.trim() === '')
        throw usageError('A rule needs a command and a tool.', "For any text, use '*'.")
      const repo =
        word === undefined
          ? {}
          : { repo: await resolveRepoOrPath(context, word, await knownRepoIds(context)) }
      const rule: Rule = { tool, match: command, decision, ...repo }
      const config = await readConfig(context.paths)
      const record = await readRecord(context)
      const matches = effectOfRule(rule, [...config.approvals.rules, rule], record)
      if (!json) printMatches(context, matches, record.length)
      const added = await addRule(context.paths, rule)
      if (json) context.out.line(JSON.stringify(writtenJson(added, matches)))
      else context.err.line(summaryOf(added))
      const approve = effectiveApprove({ approve: null, repo: rule.repo ?? null }, config)
      if (decision === 'allow' && approve === 'ask') context.err.line(ignoredByDefault)
      return 0
    },
  })
}

const ignoredByDefault =
  'Approvals are set to "ask": allow rules are ignored. Turn them on with \'agenc mission set --approve rules\'.'

interface RecordedRequest extends PastRequest {
  approval: Approval
}

function readRecord(context: Context): Promise<RecordedRequest[]> {
  return readStore(context, db => {
    if (!db) return []
    const missions = new Map(listMissions(db, { archived: true }).map(mission => [mission.id, mission]))
    return listApprovals(db).map(approval => {
      const { mission_id: id, tool, input } = approval
      const { repo, dir: given } = missions.get(id) ?? { repo: null, dir: null }
      const dir = missionDirectory(context.paths, { id, dir: given })
      return { approval, tool, input, dir, cwd: dir, repo, ...guardedPlaces(context) }
    })
  })
}

const mostRows = 10
const styles = { allow: 'green', deny: 'red', ask: 'yellow' } as const

/** Equal requests are one row, the most frequent ones first. */
function printMatches({ out, err }: Context, matches: readonly Match<PastRequest>[], recorded: number): void {
  const rows = new Map<string, { decision: Decision; tool: string; text: string; times: number }>()
  for (const { request, decision } of matches) {
    const tool = cleanText(request.tool)
    const text = requestSummary(request.tool, request.input, request.dir)
    const key = JSON.stringify([decision, tool, text])
    rows.set(key, { decision, tool, text, times: (rows.get(key)?.times ?? 0) + 1 })
  }
  if (rows.size === 0) {
    err.line(
      recorded === 0
        ? 'No requests are recorded yet.'
        : `It matches none of the ${recorded} recorded requests.`,
    )
    return
  }
  err.line(`It matches ${matches.length} of the ${recorded} recorded requests, which would get this answer:`)
  const sorted = [...rows.values()].sort((a, b) => b.times - a.times)
  const shown = sorted.slice(0, mostRows)
  printTable(out, [
    { title: 'TIMES', cells: shown.map(({ times }) => String(times)) },
    {
      title: 'DECISION',
      cells: shown.map(({ decision }) => decision),
      style: row => styles[shown[row]!.decision],
    },
    { title: 'TOOL', cells: shown.map(({ tool }) => tool) },
    { title: 'REQUEST', cells: shown.map(({ text }) => text), shrinks: true },
  ])
  if (sorted.length > mostRows) err.line(`… and ${sorted.length - mostRows} more`)
}

function summaryOf({ rule, number, wasThere }: NumberedRule & { wasThere: boolean }): string {
  if (wasThere) return `Rule ${number} is this one already: ${ruleText(rule)}`
  return `Added rule ${number}: ${ruleText(rule)}\nRemove it with: agenc approvals rm ${number}`
}

export type WrittenRuleJson = ReturnType<typeof writtenJson>

function writtenJson(
  { rule, number, wasThere }: NumberedRule & { wasThere: boolean },
  matches: readonly Match<RecordedRequest>[],
) {
  return {
    number,
    rule,
    added: !wasThere,
    matched: matches.map(({ request: { approval }, decision }) => ({
      at: approval.at,
      mission_id: approval.mission_id,
      tool: approval.tool,
      input: maskInput(approval.input),
      decision,
    })),
  }
}
