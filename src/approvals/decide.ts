import { homedir } from 'node:os'
import type { Approve } from '../config/approve-modes.ts'
import { applyRules, noRuleMatches } from './apply-rules.ts'
import { decideCommandLine } from './decide-command.ts'
import { decideFileTool, decidePath } from './decide-file.ts'
import { decideUrl } from './decide-url.ts'
import { matches } from './glob.ts'
import { realPath } from './resolve-path.ts'
import type { ExplainedVerdict, Request, ResolvePath, Rule, Situation, Verdict } from './rule.ts'
import {
  commandLines,
  inputText,
  isForTheUser,
  pathField,
  textField,
  toolNames,
  writtenPaths,
} from './tool-input.ts'

/** Decides about one permission request. Never throws: any failure means that the user is asked. */
export function decide(
  request: Request,
  rules: readonly Rule[],
  mode: Approve,
  resolvePath: ResolvePath = realPath,
): Verdict {
  try {
    if (isForTheUser(request.tool)) return asked(request, 'only you can answer plans and questions')
    return overallVerdict({ request: withHome(request), rules, mode, resolvePath })
  } catch (error) {
    return asked(request, `agenc could not decide: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Checks a tool that Claude may run without asking. Returns a `deny` if a rule denies it, an `ask` if a rule might, and
 * null if no rule objects.
 */
export function objection(
  request: Request,
  rules: readonly Rule[],
  resolvePath: ResolvePath = realPath,
): Verdict | null {
  if (isForTheUser(request.tool)) return null
  const verdict = decide(request, rules.map(withoutAsking), 'all', resolvePath)
  return verdict.decision === 'allow' ? null : verdict
}

const ruleWithoutEffect: Rule = { tool: '-', decision: 'allow' }

/** Replaces rules in place, so that indexes stay valid. A malformed rule must not disable the deny rules. */
function withoutAsking(rule: Rule): Rule {
  const isWellFormed = typeof rule?.tool === 'string' && ['string', 'undefined'].includes(typeof rule.match)
  return isWellFormed && rule.decision !== 'ask' ? rule : ruleWithoutEffect
}

function withHome(request: Request): Request {
  return { ...request, home: request.home ?? homedir() }
}

function asked(request: Request, reason: string): Verdict {
  return { text: request.tool, decision: 'ask', reason, rule: null, parts: [] }
}

function overallVerdict(situation: Situation): Verdict {
  const verdicts = verdictsOfParts(situation)
  const decisive =
    verdicts.find(part => part.decision === 'deny') ??
    verdicts.find(part => part.decision === 'ask') ??
    verdicts.find(part => part.rule !== null) ??
    verdicts[0]
  if (!decisive) return asked(situation.request, 'the request is empty')
  const parts = verdicts.map(({ text, decision, rule }) => ({ text, decision, rule }))
  const message = decisive.rule === null ? undefined : situation.rules[decisive.rule]?.message
  return { ...decisive, parts, ...(message === undefined ? {} : { message }) }
}

function verdictsOfParts(situation: Situation): ExplainedVerdict[] {
  const { tool, input } = situation.request
  const commands = commandLines(tool, input).flatMap(line =>
    decideCommandLine(situation, line, toolNames(tool, 'Bash')),
  )
  if (isUnsandboxed(input)) commands.push(decideText(situation, 'Bash', 'outside the sandbox', () => false))
  if (tool === 'Bash') return commands
  if (pathField(tool)) return decideFileTool(situation)
  if (tool === 'WebFetch') return [decideUrl(situation, inputText(input, 'url') ?? '')]
  const paths = writtenPaths(tool, input).map(path =>
    decidePath(situation, toolNames(tool, 'Write'), path, { text: path }),
  )
  const others = [...commands, ...paths]
  return others.length > 0 ? others : [decideText(situation, tool, inputText(input, textField(tool) ?? ''))]
}

function isUnsandboxed(input: unknown): boolean {
  return Boolean((input as { dangerouslyDisableSandbox?: unknown } | null)?.dangerouslyDisableSandbox)
}

/** For tools with at most one known field. Without a known field, a rule with `match` cannot allow the tool. */
function decideText(
  situation: Situation,
  tool: string,
  text: string | undefined,
  isCovered = (pattern: string) => text !== undefined && matches(pattern, text),
): ExplainedVerdict {
  return applyRules(situation, toolNames(tool), {
    text: text ?? tool,
    matchesLoosely: pattern => text !== undefined && matches(pattern, text),
    mightMatch: () => text === undefined,
    whyNotCovered: pattern => (isCovered(pattern) ? null : noRuleMatches),
  })
}
