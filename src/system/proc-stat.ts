import { readFileSync } from 'node:fs'
import { errorCode } from '../errors.ts'

/** The fields of Linux's `/proc/<pid>/stat` that agenc uses. */
export interface ProcStat {
  pid: number
  /** The kernel's name for the program: cut at 15 characters, and a process can rewrite its own. */
  comm: string
  /** `R`, `S`, `D`, `T` and so on. */
  state: string
  ppid: number
  group: number
  session: number
  /** The controlling terminal as `/dev/pts/3`, null if there is none. */
  tty: string | null
  /** The process group in the foreground of that terminal, -1 if there is no terminal. */
  foregroundGroup: number
  /** When the process started, in clock ticks since boot. */
  startTicks: string
}

/** Returns null if there is no such process, or if it cannot be read. */
export function readProcStat(pid: number | 'self', proc = '/proc'): ProcStat | null {
  const answer = askProcStat(pid, proc)
  return typeof answer === 'string' ? null : answer
}

/** Tells a process that does not exist from one that cannot be read. */
export function askProcStat(pid: number | 'self', proc = '/proc'): ProcStat | 'none' | 'unreadable' {
  try {
    return parseProcStat(readFileSync(`${proc}/${pid}/stat`, 'utf8')) ?? 'unreadable'
  } catch (error) {
    return ['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '') ? 'none' : 'unreadable'
  }
}

/** The name in field 2 may contain spaces and parentheses, so fields are counted from the last `)`. */
export function parseProcStat(text: string): ProcStat | null {
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]
  const fields = text.slice(close + 2).split(' ')
  if (fields.length < 20) return null
  const [state, ppid, group, session, device, foregroundGroup] = fields
  return {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    state: state!,
    ppid: Number(ppid),
    group: Number(group),
    session: Number(session),
    tty: ttyOfDevice(Number(device)),
    foregroundGroup: Number(foregroundGroup),
    startTicks: fields[19]!,
  }
}

/** Whether the process has ended, even if its parent has not yet waited for it. */
export function hasEnded({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X'
}

/** Whether the process is stopped, by Ctrl-Z for instance. */
export function isStopped({ state }: ProcStat): boolean {
  return state === 'T'
}

const ptyMajor = 136
const ptyMajors = 8
const consoleMajor = 4
const firstSerialMinor = 64

function ttyOfDevice(device: number): string | null {
  if (device === 0) return null
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  if (major >= ptyMajor && major < ptyMajor + ptyMajors) return `/dev/pts/${(major - ptyMajor) * 256 + minor}`
  if (major === consoleMajor && minor < firstSerialMinor) return `/dev/tty${minor}`
  return `/dev/char/${major}:${minor}`
}
