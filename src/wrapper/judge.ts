import { decide, objection } from '../approvals/decide.ts'
import { isHeld } from '../approvals/hold.ts'
import type { Request, Rule, Verdict } from '../approvals/rule.ts'
import type { HookEvent } from '../claude/hook-event.ts'
import type { Config } from '../config/schema.ts'
import { getMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import type { MissionId } from '../mission/id.ts'
import { effectiveApprove } from '../mission/permission.ts'
import type { Paths } from '../paths.ts'
import type { CurrentSettings } from './current-settings.ts'

export interface Ruling {
  decision: Verdict['decision']
  /** What Claude is told when it is denied, and the user when asked about a tool. */
  message: string
  /** The rule that decided, if one did. */
  rule: Rule | null
  /** How long an allowed request stays in its dialog. */
  delayMs: number
}

const silentDenial = 'A rule of the user denies this.'

/** Compares a mission's requests with the rules, as both are at that moment. */
export class Judge {
  readonly #db: Database
  readonly #id: MissionId
  readonly #paths: Paths
  readonly #settings: CurrentSettings

  constructor(db: Database, id: MissionId, paths: Paths, settings: CurrentSettings) {
    this.#db = db
    this.#id = id
    this.#paths = paths
    this.#settings = settings
  }

  get isHeld(): boolean {
    return isHeld(this.#paths, this.#id)
  }

  /** Broken settings allow nothing; the rules they had before still deny. */
  rule(event: HookEvent): Ruling {
    const { config, problem } = this.#settings.read()
    const mission = getMission(this.#db, this.#id)
    const mode = problem === null && mission ? effectiveApprove(mission, config) : 'ask'
    return rulingOf(decide(this.#requestOf(event), config.approvals.rules, mode), config)
  }

  /** For a tool that Claude may run unasked: a denial, or to ask about it; null: nothing speaks against it. */
  objection(event: HookEvent): Ruling | null {
    const { config, problem, mayHideDenials } = this.#settings.read()
    const verdict = objection(this.#requestOf(event), config.approvals.rules)
    if (verdict?.decision === 'deny' || !mayHideDenials) return verdict && rulingOf(verdict, config)
    return { decision: 'ask', message: `the settings cannot be read: ${problem}`, rule: null, delayMs: 0 }
  }

  #requestOf({ toolName, toolInput, cwd }: HookEvent): Request {
    const dir = this.#paths.mission(this.#id).agent
    return { tool: toolName ?? '', input: toolInput, dir, cwd: cwd ?? dir }
  }
}

function rulingOf({ decision, reason, rule, message }: Verdict, { approvals }: Config): Ruling {
  return {
    decision,
    message: decision === 'deny' ? (message ?? silentDenial) : reason,
    rule: rule === null ? null : (approvals.rules[rule] ?? null),
    delayMs: approvals.delay_ms,
  }
}
