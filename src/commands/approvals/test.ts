import { decide } from '../../approvals/decide.ts'
import { isHeld } from '../../approvals/hold.ts'
import { maskSecrets } from '../../approvals/mask.ts'
import type { ApprovalMode, Rule, Verdict } from '../../approvals/rule.ts'
import { inputFor } from '../../approvals/tool.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { loadConfig } from '../../config/config-file.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMission } from '../../mission/choose.ts'
import { effectiveApprove } from '../../mission/permission.ts'

interface Input {
  what: string
  mission?: string
  tool?: string
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Say what your rules would do with a command, a path or an address, and why. Nothing is run.',
  arguments: [{ name: 'what', description: 'a command, a path or an address', required: true }],
  options: [
    { flags: '--mission <mission>', description: 'as if this mission had asked; left out: the rules alone' },
    { flags: '--tool <name>', description: 'as if this tool had asked; Bash where left out' },
    jsonOption,
  ],
  examples: ['agenc approvals test "git push && ls"', 'agenc approvals test --tool Write src/main.ts'],
  async run(context, { what, mission: word, tool = 'Bash', json }) {
    const config = loadConfig(context.paths.config)
    const mission =
      word === undefined ? null : await readStore(context, db => chooseMission(context, db, word))
    const dir = mission ? context.paths.mission(mission.id).agent : context.cwd
    const mode = mission ? effectiveApprove(mission, config) : modeOfRules(config)
    const { rules } = config.approvals
    const verdict = decide({ tool, input: inputFor(tool, what), dir, cwd: dir }, rules, mode)
    if (json) context.out.line(JSON.stringify(verdictJson(verdict, rules)))
    else print(context, verdict)
    remark(context, config, mission)
    return 0
  },
})

/** Without a mission the question is what the rules say, whoever may be set to answer. */
function modeOfRules({ approvals }: Config): ApprovalMode {
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

function print({ out }: Context, { decision, reason, message, parts }: Verdict): void {
  const styles = { allow: 'green', deny: 'red', ask: 'yellow' } as const
  out.line(`${out.paint(styles[decision], decision)}: ${cleanText(maskSecrets(reason))}`)
  if (message !== undefined && decision === 'deny') out.line(`Claude is told: ${cleanText(message)}`)
  if (parts.length < 2) return
  for (const part of parts) {
    const rule = part.rule === null ? '' : ` (rule ${part.rule})`
    out.line(
      `  ${out.paint(styles[part.decision], part.decision)}  ${cleanText(maskSecrets(part.text))}${rule}`,
    )
  }
}

function remark({ err, paths }: Context, config: Config, mission: MissionRecord | null): void {
  if (mission === null && config.approvals.mode === 'ask')
    err.line("By default missions ask: rules only deny there. See 'agenc mission set --approve rules'.")
  if (mission !== null && isHeld(paths, mission.id))
    err.line("Approvals are on hold: what is allowed here is asked. 'agenc hold --release' ends that.")
}
