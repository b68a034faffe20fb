import { closeSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Context } from '../context.ts'
import { readProcStat } from '../system/proc-stat.ts'
import { systemProbe } from '../system/process-identity.ts'
import { waitUntilGone } from '../system/process-tree.ts'
import type { Runner } from '../system/runner.ts'
import { wasJustClosed } from '../tmux/session-closed-marker.ts'
import { tmuxAt } from '../tmux/tmux.ts'
import { parseTmuxVariable } from '../tmux/tmux-variable.ts'
import type { Keyboard, OpenStdio, ShownMission, ShownState, Surface } from './surface.ts'

/** Turns off the terminal modes that Claude turns on, because a killed Claude could not. Keeps the scrollback. */
const restoreSequences = [
  '\u001b[?1049l', // main screen
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1005l\u001b[?1006l\u001b[?1015l', // mouse
  '\u001b[?25h', // cursor
  '\u001b[?1004l', // focus reports
  '\u001b[?2004l', // bracketed paste
  '\u001b[?2026l', // synchronised output
  '\u001b[?2031l', // colour scheme reports
  '\u001b[<u\u001b[>4m', // keyboard protocols
  '\u001b[?1l\u001b>', // cursor and keypad keys
  '\u001b[?7h\u001b[0m', // wrapping, colours
  '\u001b]0;\u0007', // title
  '\r\u001b[J', // what was drawn below the cursor, if there was no alternate screen
].join('')

const [input, output] = [0, 1]
const serverMs = 2_000

/** The terminal that this process was started in. */
export class TerminalSurface implements Surface {
  readonly hasShellBelow: boolean
  readonly diesOfSignals: boolean = false
  readonly keyboard: Keyboard | null = null
  readonly isHeadless = false
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
    this.hasShellBelow = !hasOwnTerminal()
  }

  openStdio(promptPath: string | null): OpenStdio {
    // If stdin was a pipe with the prompt, it has been read to its end, so keys come from the terminal itself.
    const file = promptPath ?? (isatty(input) ? null : '/dev/tty')
    if (file === null) return { stdio: 'inherit', close: () => {} }
    const descriptor = openSync(file, promptPath === null ? 'r+' : 'r')
    return { stdio: [descriptor, 'inherit', 'inherit'], close: () => closeSync(descriptor) }
  }

  onStarted(): void {}

  restore(): void {
    restoreTerminal(this.#context.exec)
  }

  wasTakenAway(): Promise<boolean> {
    return wasTerminalTaken(this.#context)
  }

  /** A terminal shows Claude and nothing else. */
  show(_mission: ShownMission, _shown: ShownState): boolean | null {
    return true
  }

  alert(_words: string): void {}
  abandon(): void {}
  leave(_options: { isStopped: boolean }): void {}
}

/** Whether Claude can run here. If the prompt comes on stdin, keys still need a terminal. */
export function hasTerminal({ stdin, out }: Context, { stdinIsPrompt = false } = {}): boolean {
  return out.isTerminal && (Boolean(stdin.isTTY) || (stdinIsPrompt && canOpenTerminal()))
}

function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}

/** Does nothing if the terminal is gone, or if a shell has taken it back by now. */
function restoreTerminal(exec: Runner): void {
  if (!isatty(output) || !isInForeground(exec)) return
  try {
    writeSync(output, restoreSequences)
  } catch {
    return // EIO: the terminal is gone. The caller must still be able to finish.
  }
  // stdin may be the prompt's file, so use the terminal itself.
  exec.capture('/bin/sh', ['-c', 'exec stty sane </dev/tty'])
}

/** The kernel suspends a background process that changes its terminal. */
function isInForeground(exec: Runner): boolean {
  if (process.platform === 'linux') {
    const own = readProcStat('self')
    return own !== null && own.group === own.foregroundGroup
  }
  const answer = exec.capture('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)])
  const [group, foregroundGroup] = answer.stdout.trim().split(/\s+/)
  return group === foregroundGroup
}

/** Whether this process is the first one in its terminal, so that there is no shell to return to. */
export function hasOwnTerminal(): boolean {
  return isatty(input) && isSessionLeader()
}

function isSessionLeader(): boolean {
  if (process.platform === 'linux') return readProcStat('self')?.session === process.pid
  return parseTmuxVariable(process.env.TMUX)?.serverPid === process.ppid
}

/**
 * After a hangup, returns false if the user closed a window or the session, and true if the terminal or the whole tmux
 * server was killed. A server without sessions is about to exit and cannot be asked, so the session-closed file decides.
 */
export async function wasTerminalTaken(context: Context): Promise<boolean> {
  const { exec, env, paths, now } = context
  if (isatty(output)) return false
  const own = parseTmuxVariable(env.TMUX)
  if (own === null) return true
  const probe = systemProbe(exec)
  const server = probe.identify(own.serverPid)
  const answer = tmuxAt(exec, env, own.socket).ask(['list-sessions'])
  if (answer.kind === 'ok' && answer.lines.length > 0) return false
  if (server !== null) await waitUntilGone(probe, [server], serverMs)
  return !wasJustClosed(paths, now())
}
