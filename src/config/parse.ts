import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import * as v from 'valibot'
import { nearest } from '../io/nearest.ts'
import { describeIssue } from './describe-issue.ts'
import { type Config, configSchema } from './schema.ts'
import { settings } from './setting-key.ts'

export interface Problem {
  line: number
  /** The setting it is about, where one can be told. */
  key: string | null
  message: string
}

export type Parsed = { ok: true; config: Config } | { ok: false; problem: Problem }

/** Text of config.json → settings, or the first thing that is wrong with it. */
export function parseConfig(text: string): Parsed {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return { ok: false, problem: syntaxProblem(text) }
  }
  if (Array.isArray(data))
    return { ok: false, problem: { line: 1, key: null, message: 'must be an object, not a list' } }
  const result = v.safeParse(configSchema, data)
  if (result.success) return { ok: true, config: result.output }
  return { ok: false, problem: schemaProblem(text, result.issues[0]) }
}

export const defaultConfig: Config = v.parse(configSchema, {})

function syntaxProblem(text: string): Problem {
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true, allowEmptyContent: false })
  const first = errors[0]
  const message = first ? spaced(printParseErrorCode(first.error)) : 'not JSON'
  return { line: lineOf(text, first?.offset ?? 0), key: null, message }
}

function schemaProblem(text: string, issue: v.BaseIssue<unknown>): Problem {
  const path = (issue.path ?? []).map(item => item.key as string | number)
  const key = path.join('.')
  const node = locate(parseTree(text), path)
  return { line: lineOf(text, node?.offset ?? 0), key: key || null, message: issueMessage(issue, key) }
}

function issueMessage(issue: v.BaseIssue<unknown>, key: string): string {
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const guess = nearest(key, namesAtDepth(key.split('.').length))
    return `unknown key${guess ? `; did you mean ${guess}?` : ''}`
  }
  return describeIssue(issue)
}

/** Sections count too: `claud` is meant for `claude`. */
function namesAtDepth(depth: number): string[] {
  return [...new Set(settings.map(({ path }) => path.slice(0, depth).join('.')))]
}

/** A missing key has no node of its own: point at what should hold it. */
function locate(root: Node | undefined, path: (string | number)[]): Node | undefined {
  for (let length = path.length; root && length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node) return node
  }
  return root
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function spaced(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`).toLowerCase()
}
