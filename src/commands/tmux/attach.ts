import { defineCommand } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import { readStore, withStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { confirm } from '../../io/prompt.ts'
import { describeKilled } from '../../mission/describe-killed.ts'
import { writeRepoChoices } from '../../repo/catalogue.ts'
import { message } from '../../tmux/announce.ts'
import { attachClient } from '../../tmux/attach-client.ts'
import { configureSession } from '../../tmux/configure.ts'
import { currentWindow, sessionTarget } from '../../tmux/current-window.ts'
import { adoptServer, ownSocket } from '../../tmux/server.ts'
import {
  askForSession,
  contextOfSession,
  createSession,
  findSession,
  otherHome,
  otherHomeNotice,
  refreshEnvironment,
  type SessionState,
} from '../../tmux/session.ts'
import { showRestorable } from '../../tmux/status-bar.ts'
import type { Tmux, TmuxCommand } from '../../tmux/tmux.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { requireTmux } from '../../tmux/tmux-version.ts'
import { killedSince, restorableMissions, restoreAll } from '../../wrapper/restore-missions.ts'

export default defineCommand<Record<string, never>>({
  description: 'Go to the agenc session. If there is none, create it and pick a repo for its first mission.',
  examples: ['agenc tmux attach'],
  async run(context) {
    requireTmux(context.exec, context.env)
    if (currentWindow(context)) {
      context.err.line('You are already in the agenc session.')
      return 0
    }
    if (!context.stdin.isTTY || !context.out.isTerminal) {
      throw usageError('Not a terminal.', "Run 'agenc tmux attach' in a terminal.")
    }
    const { tmux, state } = findSession(context)
    refuseOtherServer(context, tmux, state)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    const session = contextOfSession(context, state)
    const startedAt = context.now()
    // Problems with the settings or the store are reported before anything is created.
    const config = (await readConfig(session.paths)).tmux
    const lost = await readStore(session, db => {
      // The picker's list may be missing, or written by an older agenc.
      if (db) writeRepoChoices(session, db)
      // A mission whose window still shows why it ended can be resumed there.
      const windows = state.kind === 'there' ? state.windows : null
      return db ? restorableMissions(session, db).filter(({ id }) => !windows?.has(id)).length : 0
    })
    const left = state.kind === 'none' && lost > 0 ? await offerToRestore(session, tmux, lost) : lost
    const isOurs = askForSession(tmux).kind === 'none' && create(session, tmux)
    if (!isOurs) refreshEnvironment(context, tmux)
    const found = adoptServer(session, tmux)
    if (found) configureOrEnd(session, found, config, isOurs)
    const home = otherHome(context, state)
    const notice = home === null ? [] : [message(otherHomeNotice(context, home))]
    const exitCode = await goThere(context, found ?? tmux, left, notice)
    await sayIfKilled(session, found ?? tmux, startedAt)
    return exitCode
  },
})

/** Resolves to the number of missions that are still to be restored. */
async function offerToRestore(context: Context, tmux: Tmux, count: number): Promise<number> {
  const question =
    count === 1 ? '1 mission was running. Restore it?' : `${count} missions were running. Restore them?`
  if (!(await confirm(context, question, true))) return count
  const results = await withStore(context, db => restoreAll(context, db, tmux))
  return results.filter(({ restored }) => !restored).length
}

/** `tmux kill` inside the session could not say it there. */
async function sayIfKilled(context: Context, tmux: Tmux, since: Date): Promise<void> {
  if (ownSocket(context.env) !== null || askForSession(tmux).kind !== 'none') return
  const killed = await readStore(context, db => (db ? killedSince(db, since) : []))
  if (killed.length > 0) context.err.line(describeKilled(killed))
}

/** A client cannot be moved from one tmux server to another. */
function refuseOtherServer(context: Context, tmux: Tmux, state: SessionState): void {
  const own = ownSocket(context.env)
  if (own === null || tmux.socket === own || state.kind !== 'there') return
  throw new AgencError(
    `the agenc session runs on another tmux server (${tmux.socket})`,
    "Detach from this one first, then run 'agenc tmux attach' again.",
  )
}

/** Returns false if another `attach` created the session first. */
function create(context: Context, tmux: Tmux): boolean {
  const command = [...context.self, 'mission', 'new', '--here']
  return createSession(context, tmux, { name: 'agenc', command })
}

/** Ends a session that was just created if tmux refuses the key bindings. */
function configureOrEnd(context: Context, tmux: Tmux, config: Config['tmux'], isOurs: boolean): void {
  try {
    configureSession(context, tmux, config)
  } catch (error) {
    if (isOurs) tmux.ask(['kill-session', '-t', sessionTarget])
    throw error
  }
}

/** Cancelling the picker ends the session, at any moment around the attaching. That is not an error. */
async function goThere(
  context: Context,
  tmux: Tmux,
  lost: number,
  notice: readonly TmuxCommand[],
): Promise<number> {
  const insideOther = ownSocket(context.env) !== null
  const go: TmuxCommand = [insideOther ? 'switch-client' : 'attach-session', '-t', sessionTarget]
  // The user now sees the window in front, whatever it was marked with while nobody was there.
  const seen: TmuxCommand = ['set-option', '-wu', '-t', `${sessionTarget}:`, '@agenc_done']
  if (lost > 0)
    context.err.line(
      `${lost} ${lost === 1 ? 'mission was' : 'missions were'} running before. Restore with: agenc tmux restore`,
    )
  const exitCode = await attachClient(context.exec, tmux, showRestorable(lost), go, seen, ...notice)
  if (exitCode !== 0 && askForSession(tmux).kind === 'there') {
    throw new AgencError(
      'tmux could not attach to the session',
      "Check that 'tmux attach -t =agenc' works by hand.",
    )
  }
  return 0
}
