import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import * as v from 'valibot'
import { type AgencError, configError } from '../errors.ts'
import { nearest } from '../io/nearest.ts'
import { type Config, configSchema } from './schema.ts'
import { settings } from './settings.ts'

export interface Problem {
  line: number
  /** The setting with the problem, or null if the text is not JSON. */
  key: string | null
  message: string
}

export type Parsed = { ok: true; config: Config } | { ok: false; problem: Problem }

/** The settings in a text of config.json, with defaults filled in. Throws an error that names file and line. */
export function checkedConfig(path: string, text: string): Config {
  const parsed = parseConfig(text)
  if (!parsed.ok) throw brokenConfig(path, parsed.problem)
  return parsed.config
}

export function brokenConfig(path: string, problem: Problem): AgencError {
  const key = problem.key ? ` ${problem.key}:` : ''
  return configError(`${path}:${problem.line}:${key} ${problem.message}`, "Fix it with 'agenc config edit'.")
}

/** The settings in a text of config.json, or the first problem with it. */
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

/** Includes sections, so that `claud` suggests `claude`. */
function namesAtDepth(depth: number): string[] {
  return [...new Set(settings.map(({ path }) => path.slice(0, depth).join('.')))]
}

/** A missing key has no node of its own, so this falls back to the object that should contain it. */
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

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  '(string | Array)': 'text or a list of words',
}

/** The problem with a value, phrased to follow the name of the setting. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received } = issue
  if (type === 'strict_object' && received === 'undefined') return 'is missing'
  if (type === 'min_length') return 'must not be empty'
  const wanted = wantedBy(type, expected)
  return wanted ? `must be ${wanted}, not ${kinds[received] ?? received}` : issue.message
}

function wantedBy(type: string, expected: string | null): string | undefined {
  if (type === 'picklist') return alternatives(expected ?? '')
  if (type === 'integer') return 'a whole number'
  if (type === 'min_value') return `at least ${expected?.replace('>=', '')}`
  if (type === 'max_value') return `at most ${expected?.replace('<=', '')}`
  return kinds[expected ?? '']
}

/** valibot writes alternatives as `("ask" | "rules" | "all")`. */
function alternatives(expected: string): string {
  const words = expected.replace(/^\(|\)$/g, '').split(' | ')
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')
}
