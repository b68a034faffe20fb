import { defineCommand, jsonOption } from '../cli/command.ts'
import { examine, fixAll } from '../doctor/examine.ts'
import type { Finding } from '../doctor/findings.ts'
import { fitted, printFindings, summaryOf } from '../doctor/findings.ts'
import { ExitCode } from '../errors.ts'
import type { Output } from '../io/output.ts'
import { cleanText } from '../io/text.ts'

export default defineCommand<{ fix?: boolean; json?: boolean }>({
  description: 'Check everything that agenc needs, and say how to fix what is wrong.',
  options: [
    { flags: '--fix', description: 'fix what can be fixed safely; your work is not touched' },
    jsonOption,
  ],
  examples: ['agenc doctor', 'agenc doctor --json | jq \'.[] | select(.status != "ok")\''],
  async run(context, { fix, json }) {
    let findings = await examine(context)
    if (fix) {
      for (const done of await fixAll(findings)) say(context.err, cleanText(done))
      findings = await examine(context)
    }
    if (json) context.out.line(JSON.stringify(findings.map(withoutFix)))
    else {
      printFindings(context.out, findings)
      context.out.line(`\n${summaryOf(findings)}`)
      if (!fix && findings.some(finding => finding.fix))
        say(context.out, "'agenc doctor --fix' fixes some of this.")
    }
    return findings.some(({ status }) => status === 'problem') ? ExitCode.failed : ExitCode.ok
  },
})

function say(output: Output, text: string): void {
  for (const line of output.isTerminal ? fitted(text, output.columns) : [text]) output.line(line)
}

function withoutFix({ check, status, message, remedy }: Finding) {
  return { check, status, message, remedy }
}
