import { isHeld } from '../approvals/hold.ts'
import type { Request, Rule, Verdict } from '../approvals/rule.ts'
import { rulesForRepo } from '../approvals/rules-for-repo.ts'
import type { ToolUse } from '../claude/agent-report.ts'
import type { Approve } from '../config/approve-modes.ts'
import type { Config } from '../config/schema.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { agentReposOf } from '../mission/agent-rights.ts'
import { effectiveApprove } from '../mission/effective-settings.ts'
import type { GuardedPlaces } from '../mission/guarded-places.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'
import type { CurrentSettings } from './current-settings.ts'
import type { Log } from './log.ts'

export interface Ruling {
  decision: Verdict['decision']
  /** The text for Claude if the request is denied, or for the user if the user is asked about a tool. */
  message: string
  /** The rule that decided, if one did. */
  rule: Rule | null
  /** How long the dialog of an allowed request stays open. */
  delayMs: number
}

type Engine = typeof import('../approvals/decide.ts')

type Decided = Pick<Verdict, 'decision' | 'reason' | 'rule' | 'message'>

const notLoaded: Decided = { decision: 'ask', reason: 'the rules could not be loaded', rule: null }
const silentDenial = 'A rule of the user denies this.'

/**
 * Compares a mission's requests with the rules that are in force at that moment. The code that understands shells and
 * paths is large, so it is loaded only after Claude has started, with its first report.
 */
export class RuleEngine {
  readonly #db: Database
  readonly #id: MissionId
  readonly #repo: string | null
  readonly #agentRepos: readonly (string | null)[]
  readonly #directory: string
  readonly #paths: Paths
  readonly #settings: CurrentSettings
  readonly #guarded: GuardedPlaces
  readonly #log: Log
  #engine: Engine | null = null

  constructor(
    db: Database,
    mission: Pick<MissionRecord, 'id' | 'repo' | 'dir' | 'agent_repos'>,
    paths: Paths,
    settings: CurrentSettings,
    guarded: GuardedPlaces,
    log: Log,
  ) {
    this.#db = db
    this.#id = mission.id
    this.#repo = mission.repo
    this.#agentRepos = agentReposOf(mission)
    this.#directory = missionDirectory(paths, mission)
    this.#paths = paths
    this.#settings = settings
    this.#guarded = guarded
    this.#log = log
  }

  get isHeld(): boolean {
    return isHeld(this.#paths, this.#id)
  }

  /** If false, `makeReady` must be awaited before the next request is decided. */
  get isReady(): boolean {
    return this.#settings.areCurrent && this.#engine !== null
  }

  /** Never rejects. If the engine cannot be loaded, nothing is allowed, and the user is asked about every tool. */
  async makeReady(): Promise<void> {
    await this.#settings.refresh()
    try {
      this.#engine ??= await import('../approvals/decide.ts')
    } catch (error) {
      this.#log(`the rules cannot be loaded: ${String(error)}`)
    }
  }

  get #rules(): Rule[] {
    return rulesForRepo(this.#settings.latest.config.approvals.rules, this.#repo, this.#agentRepos)
  }

  get #mode(): Approve {
    const { config, problem } = this.#settings.latest
    const mission = getMission(this.#db, this.#id)
    return problem === null && mission ? effectiveApprove(mission, config) : 'ask'
  }

  /** Broken settings allow nothing. The deny rules that they had before stay in force. */
  rule(use: ToolUse): Ruling {
    const { config } = this.#settings.latest
    if (this.#engine === null) return rulingOf(notLoaded, config)
    return rulingOf(this.#engine.decide(this.#requestOf(use), this.#rules, this.#mode), config)
  }

  /** For a tool that Claude would run without asking. Returns `deny`, `ask`, or null if nothing is against it. */
  objection(use: ToolUse): Ruling | null {
    const { config, problem, mayHideDenials } = this.#settings.latest
    if (this.#engine === null) return rulingOf(notLoaded, config)
    const verdict = this.#engine.objection(this.#requestOf(use), this.#rules)
    if (verdict?.decision === 'deny' || !mayHideDenials) return verdict && rulingOf(verdict, config)
    return { decision: 'ask', message: `the settings cannot be read: ${problem}`, rule: null, delayMs: 0 }
  }

  #requestOf({ tool, input, cwd }: ToolUse): Request {
    const dir = this.#directory
    return { tool, input, dir, cwd: cwd ?? dir, ...this.#guarded }
  }
}

function rulingOf({ decision, reason, rule, message }: Decided, { approvals }: Config): Ruling {
  return {
    decision,
    message: decision === 'deny' ? (message ?? silentDenial) : reason,
    rule: rule === null ? null : (approvals.rules[rule] ?? null),
    delayMs: approvals.delay_ms,
  }
}
