import { claudeMode } from '../claude/permission-mode.ts'
import { type Approve, approveModes } from '../config/approve-modes.ts'
import type { Config } from '../config/schema.ts'
import type { SentAs } from '../db/messages.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { shortId } from '../mission-id.ts'
import { configuredMode, effectiveApprove, effectiveMode } from './effective-settings.ts'

/**
 * What a mission may do without asking a person. A mission that an agent starts, or changes, never gets more than the
 * agent itself has: a wider wish is refused, and a missing one takes what is narrower, the settings or the agent's own.
 */
export interface Rights {
  /** Null if only Claude's own settings decide, and Claude has not reported a mode yet. */
  mode: string | null
  approve: Approve
  mayAnswer: boolean
}

/** The repos of the missions whose Claudes led to this one. Each of them is one level above it. */
export function agentReposOf({ agent_repos }: Pick<MissionRecord, 'agent_repos'>): (string | null)[] {
  return agent_repos === null ? [] : JSON.parse(agent_repos)
}

/** The user may have changed the mode in Claude itself. `allowedTools` is a name of agenc for a mode of Claude. */
export function rightsOf(mission: MissionRecord, config: Config): Rights {
  const { mode } = effectiveMode(mission, config)
  const reported = mission.reported_permission_mode
  const isCurrent = reported === null || (mode !== null && claudeMode(mode) === reported)
  return {
    mode: isCurrent ? mode : reported,
    approve: effectiveApprove(mission, config),
    mayAnswer: mission.may_answer === 1,
  }
}

const widths: Readonly<Record<string, number>> = {
  plan: 0,
  default: 0,
  dontAsk: 0,
  acceptEdits: 1,
  auto: 2,
  bypassPermissions: 3,
}

/** A mode with an unknown width is within no other mode than bypassPermissions. */
export function isModeWithin(mode: string, limit: string | null): boolean {
  if (mode === limit || (limit !== null && claudeMode(limit) === 'bypassPermissions')) return true
  const width = mode === 'allowedTools' ? undefined : widthOf(mode)
  return width !== undefined && width <= (limit === null ? 0 : (widthOf(limit) ?? 0))
}

function widthOf(mode: string): number | undefined {
  const name = claudeMode(mode)
  return Object.hasOwn(widths, name) ? widths[name] : undefined
}

export function isApproveWithin(approve: Approve, limit: Approve): boolean {
  return approveModes.indexOf(approve) <= approveModes.indexOf(limit)
}

/** Whether the mission may do nothing without asking that these rights do not include. */
export function isWithin({ mode, approve, mayAnswer }: Rights, limit: Rights): boolean {
  return (
    (mode === null ? isOpenModeWithin(limit.mode) : isModeWithin(mode, limit.mode)) &&
    isApproveWithin(approve, limit.approve) &&
    (limit.mayAnswer || !mayAnswer)
  )
}

/** Claude's own settings may set any mode. */
function isOpenModeWithin(limit: string | null): boolean {
  return limit === null || claudeMode(limit) === 'bypassPermissions'
}

/** The rights that a new mission is to have. Null stands for the settings. */
export interface WantedRights {
  repo: string | null
  permissionMode: string | null
  approve: Approve | null
  mayAnswer: boolean
}

/**
 * The rights of a mission that `agent` starts. With `isInherited`, they come from a mission that is copied, and are
 * narrowed instead of refused.
 */
export function rightsForChild(
  agent: MissionRecord,
  wanted: WantedRights,
  config: Config,
  { isInherited = false }: { isInherited?: boolean | undefined } = {},
): Pick<WantedRights, 'permissionMode' | 'approve' | 'mayAnswer'> {
  const limit = rightsOf(agent, config)
  return {
    permissionMode: childMode(agent, limit, wanted, config, isInherited),
    approve: childApprove(agent, limit, wanted, config, isInherited),
    mayAnswer: childMayAnswer(agent, limit, wanted, isInherited),
  }
}

function childMode(
  agent: MissionRecord,
  limit: Rights,
  { permissionMode, repo }: WantedRights,
  config: Config,
  isInherited: boolean,
): string | null {
  const mode = permissionMode ?? configuredMode(repo, config)
  if (mode === null) return limit.mode
  if (isModeWithin(mode, limit.mode)) return permissionMode
  if (permissionMode !== null && !isInherited) throw tooWide(agent, `the permission mode ${mode}`, limit.mode)
  return limit.mode ?? 'default'
}

function childApprove(
  agent: MissionRecord,
  limit: Rights,
  { approve, repo }: WantedRights,
  config: Config,
  isInherited: boolean,
): Approve | null {
  if (isApproveWithin(effectiveApprove({ approve, repo }, config), limit.approve)) return approve
  if (approve !== null && !isInherited) throw tooWide(agent, `--approve ${approve}`, limit.approve)
  return limit.approve
}

function childMayAnswer(
  agent: MissionRecord,
  limit: Rights,
  { mayAnswer }: WantedRights,
  isInherited: boolean,
): boolean {
  if (!mayAnswer || limit.mayAnswer) return mayAnswer
  if (!isInherited) throw tooWide(agent, '--may-answer', 'no such right')
  return false
}

/** Throws if `agent` would give another mission more rights than it has itself. */
export function refuseWiderChange(
  agent: MissionRecord | null,
  before: MissionRecord,
  after: MissionRecord,
  config: Config,
): void {
  if (agent === null || agent.id === before.id) return
  const limit = rightsOf(agent, config)
  const { mode } = effectiveMode({ ...after, reported_permission_mode: null }, config)
  const approve = effectiveApprove(after, config)
  if (after.permission_mode !== before.permission_mode) {
    const isFine = mode === null ? isOpenModeWithin(limit.mode) : isModeWithin(mode, limit.mode)
    if (!isFine) throw tooWide(agent, `the permission mode ${mode ?? 'of the settings'}`, limit.mode)
  }
  if (after.approve !== before.approve && !isApproveWithin(approve, limit.approve))
    throw tooWide(agent, `--approve ${approve}`, limit.approve)
}

/**
 * Throws if a message of `agent` would be the user's word for a mission that has more rights. A mission in the mode
 * bypassPermissions takes no messages of other agents: it gets each as one of the user.
 */
export function refuseUsersVoice(
  agent: MissionRecord,
  mission: MissionRecord,
  as: SentAs,
  config: Config,
): void {
  const rights = rightsOf(mission, config)
  const isBypass = rights.mode !== null && claudeMode(rights.mode) === 'bypassPermissions'
  if ((as === 'agent' && !isBypass) || isWithin(rights, rightsOf(agent, config))) return
  throw new AgencError(
    `mission ${shortId(agent.id)} cannot speak as the user to ${shortId(mission.id)}, which has more rights`,
    isBypass ? 'Leave it to the user.' : 'Send it with --as agent, or leave it to the user.',
  )
}

export function tooWide({ id }: MissionRecord, wish: string, own: string | null): AgencError {
  return new AgencError(
    `mission ${shortId(id)} cannot give another mission more rights than it has: it wants ${wish}, and has ${own ?? "the mode of Claude's settings"}`,
    'Ask for less, or leave it to the user.',
  )
}
