import { defineCommand } from '../../cli/command.ts'
import { loadConfig, prepareConfig } from '../../config/config-file.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import { listMissions } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { statusesOf } from '../../mission/list.ts'
import { writeRepoChoices } from '../../repo/repo-choices.ts'
import { systemProbe } from '../../system/process-identity.ts'
import { suspendTogether } from '../../system/signals.ts'
import { configureSession } from '../../tmux/configure.ts'
import { placeInSession, sessionTarget } from '../../tmux/current-window.ts'
import { adoptServer, socketOf } from '../../tmux/server.ts'
import {
  askForSession,
  cannotBeAsked,
  contextOfSession,
  createSession,
  findSession,
  refreshEnvironment,
  type SessionState,
} from '../../tmux/session.ts'
import { showRestorable } from '../../tmux/status-style.ts'
import type { Tmux, TmuxCommand } from '../../tmux/tmux.ts'
import { requireTmux } from '../../tmux/tmux-version.ts'

export default defineCommand<Record<string, never>>({
  description: 'Go to the agenc session; the first time, create it and pick a repo for its first mission.',
  examples: ['agenc tmux attach'],
  async run(context) {
    requireTmux(context.exec, context.env)
    if (placeInSession(context)) {
      context.err.line('You are in the agenc session already.')
      return 0
    }
    if (!context.stdin.isTTY || !context.out.isTerminal) {
      throw usageError('attach needs a terminal, and this is none', 'Run it in a terminal.')
    }
    const { tmux, state } = findSession(context)
    refuseOtherServer(context, tmux, state)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    const session = contextOfSession(context, state)
    // Whatever may be wrong with the settings or the store is said before anything is created.
    prepareConfig(session.paths.config)
    const config = loadConfig(session.paths.config).tmux
    const lost = await countLost(session)
    const isOurs = state.kind === 'none' && create(session, tmux)
    if (!isOurs) refreshEnvironment(context, tmux)
    const found = adoptServer(session, tmux)
    if (found) configureOrEnd(session, found, config, isOurs)
    return goThere(context, found ?? tmux, lost)
  },
})

/** A client cannot be moved from one tmux server to another. */
function refuseOtherServer(context: Context, tmux: Tmux, state: SessionState): void {
  const own = socketOf(context.env)
  if (own === null || tmux.socket === own || state.kind !== 'there') return
  throw new AgencError(
    `the agenc session lives on another tmux server (${tmux.socket})`,
    "Detach from this one first, then run 'agenc tmux attach' again.",
  )
}

/** false: another `attach` was quicker. */
function create(context: Context, tmux: Tmux): boolean {
  const command = [...context.self, 'mission', 'new', '--here']
  return createSession(context, tmux, { name: 'agenc', command })
}

/** With keys that tmux does not take, a session that was just made is not left behind for the next attempt to find. */
function configureOrEnd(context: Context, tmux: Tmux, config: Config['tmux'], isOurs: boolean): void {
  try {
    configureSession(context, tmux, config)
  } catch (error) {
    if (isOurs) tmux.ask(['kill-session', '-t', sessionTarget])
    throw error
  }
}

/** The picker may be cancelled before, while or after we attach: the session is gone then, and all is well. */
async function goThere(context: Context, tmux: Tmux, lost: number): Promise<number> {
  const insideOther = socketOf(context.env) !== null
  const go: TmuxCommand = [insideOther ? 'switch-client' : 'attach-session', '-t', sessionTarget]
  if (lost > 0)
    context.err.line(`${lost} running when tmux or the machine went down. Bring back: agenc tmux restore`)
  const exitCode = await runOnTerminal(context, tmux.arguments(showRestorable(lost), go))
  if (exitCode !== 0 && askForSession(tmux).kind === 'there') {
    throw new AgencError('tmux could not attach', "Does 'tmux attach -t =agenc' work by hand?")
  }
  return 0
}

/** tmux's own words are kept back: a session that is gone by now is no error here. */
function runOnTerminal(context: Context, args: string[]): Promise<number | null> {
  const child = context.exec.start('tmux', args, {
    env: context.env,
    stdio: ['inherit', 'inherit', 'ignore'],
  })
  suspendTogether(child, systemProbe(context.exec))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => resolve(code))
  })
}

/** The list for the picker is also written here, should it be missing or of an older agenc. */
async function countLost(context: Context): Promise<number> {
  return readStore(context, db => {
    if (db) writeRepoChoices(context, db)
    const missions = db ? listMissions(db) : []
    return statusesOf(context, missions).filter(status => status === 'crashed').length
  })
}
