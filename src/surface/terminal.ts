import { readFileSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Runner } from '../system/runner.ts'

/** What Claude turns on and, killed, could not turn off. The scrollback is not touched. */
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
  '\r\u001b[J', // what was drawn below the cursor, where there was no second screen
].join('')

const [input, output] = [0, 1]

/** After a hard death. Where the terminal is gone, or belongs to somebody else by now, nothing is done. */
export function restoreTerminal(exec: Runner): void {
  if (!isatty(output) || !isInForeground(exec)) return
  try {
    writeSync(output, restoreSequences)
  } catch {
    return // EIO: the terminal is gone, and everything else still has to happen.
  }
  // stdin may be a prompt.
  exec.capture('/bin/sh', ['-c', 'exec stty sane </dev/tty'])
}

/** A shell that has taken its terminal back keeps it as it is, and would suspend whoever changed it. */
function isInForeground(exec: Runner): boolean {
  if (process.platform === 'linux') {
    const { group, foregroundGroup } = linuxJob()
    return group === foregroundGroup
  }
  const answer = exec.capture('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)])
  const [group, foregroundGroup] = answer.stdout.trim().split(/\s+/)
  return group === foregroundGroup
}

/** Is this process the first one of its terminal, with no shell to go back to? */
export function hasOwnTerminal(): boolean {
  return isatty(input) && isSessionLeader()
}

export function isTerminalGone(): boolean {
  return !isatty(output)
}

function isSessionLeader(): boolean {
  if (process.platform === 'linux') return linuxJob().session === process.pid
  const tmuxServer = Number(process.env.TMUX?.split(',')[1])
  return tmuxServer === process.ppid
}

interface Job {
  group: number
  session: number
  foregroundGroup: number
}

function linuxJob(): Job {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [, , group, session, , foregroundGroup] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return { group: group!, session: session!, foregroundGroup: foregroundGroup! }
}
