import type { Approve } from '../config/approve-modes.ts'

export type Decision = 'allow' | 'deny' | 'ask'

export interface Rule {
  /** A tool's name, several joined by `|`, or a glob (`mcp__github__*`). */
  tool: string
  /** A glob over one simple command, a resolved path, a URL …; left out, every use of the tool. */
  match?: string
  decision: Decision
  /** What Claude is told when the rule denies. */
  message?: string
}

export interface Request {
  tool: string
  /** The `tool_input` that Claude hands over. */
  input: unknown
  /** The mission's directory, which `{dir}` stands for. */
  dir: string
  /** Where the tool would run. */
  cwd: string
  /** What `~` stands for. */
  home?: string
}

export interface PartVerdict {
  text: string
  decision: Decision
  /** The rule's place in the list, or null where none decided. */
  rule: number | null
}

export interface Verdict extends PartVerdict {
  reason: string
  message?: string
  parts: PartVerdict[]
}

/** What was decided about one part, and why. */
export interface Judgement extends PartVerdict {
  reason: string
}

/** The path with `..` and links resolved, as far as it exists. */
export type ResolvePath = (path: string) => string

export interface Situation {
  request: Request
  rules: readonly Rule[]
  mode: Approve
  resolvePath: ResolvePath
}
