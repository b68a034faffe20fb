import type { Approve } from '../config/approve-modes.ts'

export type Decision = 'allow' | 'deny' | 'ask'

export interface Rule {
  /** A tool's name, several names joined by `|`, or a glob (`mcp__github__*`). */
  tool: string
  /** A glob over one simple command, a resolved path, a URL …. Without it the rule matches every use of the tool. */
  match?: string
  decision: Decision
  /** The message for Claude if the rule denies a request. */
  message?: string
  /** Applies only to missions on this repo. */
  repo?: string
}

export interface Request {
  tool: string
  /** The `tool_input` of Claude's request. */
  input: unknown
  /** The mission's directory; `{dir}` in a rule stands for it. */
  dir: string
  /** The directory the tool would run in. */
  cwd: string
  /** Replaces `~`. Defaults to the user's home directory. */
  home?: string
  /** agenc's own home, which missions must not change. Defaults to `~/.agenc`. */
  agencHome?: string
  /** Where Claude keeps the user's settings. Defaults to `~/.claude`. */
  claudeDirectory?: string
}

export interface PartVerdict {
  text: string
  decision: Decision
  /** Index of the deciding rule, counted from 0; null if no rule decided. */
  rule: number | null
}

export interface ExplainedVerdict extends PartVerdict {
  reason: string
}

export interface Verdict extends ExplainedVerdict {
  message?: string
  /** One for each command and redirection of a Bash request. */
  parts: PartVerdict[]
}

/** Resolves `..` and symbolic links as far as the path exists. */
export type ResolvePath = (path: string) => string

export interface Situation {
  request: Request
  rules: readonly Rule[]
  mode: Approve
  resolvePath: ResolvePath
}
