import { readFileSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Runner } from '../exec/runner.ts'

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
].join('')

const [input, output] = [0, 1]

export function restoreTerminal(exec: Runner): void {
  if (!isatty(output)) return
  try {
    writeSync(output, restoreSequences)
  } catch {
    return // EIO: the terminal is gone, and everything else still has to happen.
  }
  exec.capture('stty', ['sane'], { stdin: 'inherit' })
}

/** Is this process the first one of its terminal, with no shell to go back to? */
export function hasOwnTerminal(): boolean {
  return isatty(input) && isSessionLeader()
}

function isSessionLeader(): boolean {
  if (process.platform === 'linux') return linuxSession() === process.pid
  const tmuxServer = Number(process.env.TMUX?.split(',')[1])
  return tmuxServer === process.ppid
}

function linuxSession(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
}
