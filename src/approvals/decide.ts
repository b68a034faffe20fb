import { homedir } from 'node:os'
import type { Approve } from '../config/approve-modes.ts'
import { judgeBash } from './bash.ts'
import { judgeFileTool } from './file-tool.ts'
import { matches } from './glob.ts'
import { judge, noRule } from './judge-rules.ts'
import { realPath } from './resolve-path.ts'
import type { Judgement, Request, ResolvePath, Rule, Situation, Verdict } from './rule.ts'
import { inputText, isForTheUser, pathField, textField } from './tool.ts'
import { judgeUrl } from './url.ts'

/** What happens to a request. Never throws: whatever goes wrong means that the user is asked. */
export function decide(
  request: Request,
  rules: readonly Rule[],
  mode: Approve,
  resolvePath: ResolvePath = realPath,
): Verdict {
  try {
    if (isForTheUser(request.tool)) return asked(request, 'plans and questions are for the user')
    return verdictOf({ request: withHome(request), rules, mode, resolvePath })
  } catch (error) {
    return asked(
      request,
      `it could not be decided: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** For a tool that Claude may run unasked: what a deny rule says of it, `ask` where that cannot be told. */
export function objection(
  request: Request,
  rules: readonly Rule[],
  resolvePath: ResolvePath = realPath,
): Verdict | null {
  if (isForTheUser(request.tool)) return null
  const verdict = decide(request, rules.map(onlyDenying), 'all', resolvePath)
  return verdict.decision === 'allow' ? null : verdict
}

const idle: Rule = { tool: '-', decision: 'allow' }

/** In its place in the list. One broken rule must not take the others' force away. */
function onlyDenying(rule: Rule): Rule {
  const isWhole = typeof rule?.tool === 'string' && ['string', 'undefined'].includes(typeof rule.match)
  return isWhole && rule.decision === 'deny' ? rule : idle
}

function withHome(request: Request): Request {
  return { ...request, home: request.home ?? homedir() }
}

function asked(request: Request, reason: string): Verdict {
  return { text: request.tool, decision: 'ask', reason, rule: null, parts: [] }
}

function verdictOf(situation: Situation): Verdict {
  const judgements = judgementsOf(situation)
  const decisive =
    judgements.find(part => part.decision === 'deny') ??
    judgements.find(part => part.decision === 'ask') ??
    judgements.find(part => part.rule !== null) ??
    judgements[0]
  if (!decisive) return asked(situation.request, 'there is nothing to decide about')
  const parts = judgements.map(({ text, decision, rule }) => ({ text, decision, rule }))
  const message = decisive.rule === null ? undefined : situation.rules[decisive.rule]?.message
  return { ...decisive, parts, ...(message === undefined ? {} : { message }) }
}

function judgementsOf(situation: Situation): Judgement[] {
  const { tool, input } = situation.request
  if (tool === 'Bash') return judgeBash(situation)
  if (pathField(tool)) return judgeFileTool(situation)
  if (tool === 'WebFetch') return [judgeUrl(situation, inputText(input, 'url') ?? '')]
  return [judgeText(situation, tool, inputText(input, textField(tool) ?? ''))]
}

/** Tools of which only one field is understood, or none: then a rule with `match` cannot allow. */
function judgeText(situation: Situation, tool: string, text: string | undefined): Judgement {
  return judge(situation, tool, {
    text: text ?? tool,
    isMeant: pattern => text !== undefined && matches(pattern, text),
    mayBeMeant: () => text === undefined,
    notCovered: pattern => (text !== undefined && matches(pattern, text) ? null : noRule),
  })
}
