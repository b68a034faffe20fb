import { decide } from '../../approvals/decide.ts'
import { isHeld } from '../../approvals/hold.ts'
import { maskSecrets } from '../../approvals/mask-secrets.ts'
import type { Rule, Verdict } from '../../approvals/rule.ts'
import { rulesForRepo } from '../../approvals/rules-for-repo.ts'
import { inputFor } from '../../approvals/tool-input.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Approve } from '../../config/approve-modes.ts'
import { readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { cleanText } from '../../io/text.ts'
import { agentReposOf } from '../../mission/agent-rights.ts'
import { chooseMission } from '../../mission/choose.ts'
import { effectiveApprove } from '../../mission/effective-settings.ts'
import { guardedPlaces } from '../../mission/guarded-places.ts'
import { missionDirectory } from '../../mission/mission-directory.ts'

interface Input {
  what: string
  mission?: string
  tool?: string
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Show what your rules would do with a command, a path or a URL, and why. Nothing is run.',
  arguments: [{ name: 'what', description: 'a command, a path or a URL', required: true }],
  options: [
    { flags: '--mission <mission>', description: 'test as if this mission asked (default: only the rules)' },
    { flags: '--tool <name>', description: 'test as if this tool asked (default: Bash)' },
    jsonOption,
  ],
  examples: ['agenc approvals test "git push && ls"', 'agenc approvals test --tool Write src/main.ts'],
  async run(context, { what, mission: word, tool = 'Bash', json }) {
    const config = await readConfig(context.paths)
    const mission =
      word === undefined ? null : await readStore(context, db => chooseMission(context, db, word))
    const dir = mission ? missionDirectory(context.paths, mission) : context.cwd
    const mode = mission ? effectiveApprove(mission, config) : modeWithoutMission(config)
    const { rules } = config.approvals
    const verdict = decide(
      { tool, input: inputFor(tool, what), dir, cwd: dir, ...guardedPlaces(context) },
      rulesForRepo(rules, mission?.repo ?? null, mission ? agentReposOf(mission) : []),
      mode,
    )
    if (json) context.out.line(JSON.stringify(verdictJson(verdict, rules)))
    else print(context, verdict)
    addRemark(context, config, mission)
    return 0
  },
})

/** Without a mission, shows what the rules say even if approvals are set to "ask". */
function modeWithoutMission({ approvals }: Config): Approve {
  return approvals.mode === 'ask' ? 'rules' : approvals.mode
}

export type VerdictJson = ReturnType<typeof verdictJson>

function verdictJson({ decision, reason, parts }: Verdict, rules: readonly Rule[]) {
  return {
    decision,
    reason: maskSecrets(reason),
    parts: parts.map(part => ({
      text: maskSecrets(part.text),
      decision: part.decision,
      rule: part.rule === null ? null : (rules[part.rule] ?? null),
    })),
  }
}

const styles = { allow: 'green', deny: 'red', ask: 'yellow' } as const

/** A reason that names a rule already contains the decision: `allowed by rule 1: …`. */
function print({ out }: Context, { decision, reason, rule, message, parts }: Verdict): void {
  const shownReason = cleanText(maskSecrets(reason))
  const paint = (text: string) => out.paint(styles[decision], text)
  out.line(rule === null ? `${paint(decision)}: ${shownReason}` : paint(shownReason))
  if (message !== undefined && decision === 'deny') out.line(`Message to Claude: ${cleanText(message)}`)
  if (parts.length < 2) return
  for (const part of parts) {
    const ruleNumber = part.rule === null ? '' : ` (rule ${part.rule + 1})`
    const shownPart = cleanText(maskSecrets(part.text))
    out.line(`  ${out.paint(styles[part.decision], part.decision)}  ${shownPart}${ruleNumber}`)
  }
}

function addRemark({ err, paths }: Context, config: Config, mission: MissionRecord | null): void {
  if (mission === null && config.approvals.mode === 'ask')
    err.line(
      'Approvals are set to "ask": allow rules are ignored. Turn them on with \'agenc mission set --approve rules\'.',
    )
  if (mission === null && config.approvals.rules.some(({ repo }) => repo !== undefined))
    err.line('Rules for a single repo are left out. To test them, name a mission with --mission.')
  if (mission !== null && isHeld(paths, mission.id))
    err.line(
      "Automatic approvals are paused: you would still be asked. Resume them with 'agenc hold --release'.",
    )
}
