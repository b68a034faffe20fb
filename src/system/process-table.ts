import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { unavailableError } from '../errors.ts'
import type { Runner } from './runner.ts'

export interface Process {
  readonly pid: number
  readonly ppid: number
  /** Opaque; with the pid it tells this process from a later one. */
  readonly startTime: string
  /** The device as tmux names it (`/dev/pts/3`), null without a controlling terminal. */
  readonly tty: string | null
  /** The program's real name: the kernel's own (`comm`) is cut at 15 characters and can be rewritten. */
  readonly name: string
}

export type ProcessTable = ReadonlyMap<number, Process>

/** Every living process, in one look. */
export function scanProcesses(platform: NodeJS.Platform, exec: Runner): ProcessTable {
  return platform === 'linux' ? scanProc() : scanWithPs(exec)
}

function scanProc(): ProcessTable {
  const table = new Map<number, Process>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const stat = Number.isInteger(pid) ? readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) : null
    const found = stat === null ? null : parseProcStat(stat)
    if (found) table.set(pid, withLazyName(found))
  }
  return table
}

interface ProcStat extends Omit<Process, 'name'> {
  comm: string
}

/** The name in field 2 may hold spaces and parentheses: count from the last `)`. Null for the dead. */
export function parseProcStat(text: string): ProcStat | null {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  const fields = text.slice(close + 2).split(' ')
  if (fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X') return null
  return {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    ppid: Number(fields[1]),
    tty: ttyOfDevice(Number(fields[4])),
    startTime: fields[19]!,
  }
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

/** A scan sees hundreds of processes, a walk a handful: only those pay for their names. */
function withLazyName({ comm, ...rest }: ProcStat): Process {
  let name: string | undefined
  return {
    ...rest,
    get name() {
      name ??= linuxName(rest.pid, comm)
      return name
    },
  }
}

/** Of another user's process (sshd) the executable is not shown, its command line is. */
function linuxName(pid: number, comm: string): string {
  const executable = readOrNull(() => readlinkSync(`/proc/${pid}/exe`))
  if (executable) return programName(executable)
  const argv0 = readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.split('\0')[0]
  return argv0 ? programName(argv0) : comm
}

/** From a path, a login shell's `-zsh`, or a title such as `sshd: anna@pts/0`. */
export function programName(text: string): string {
  const path = text.replace(/ \(deleted\)$/, '')
  const title = /^([\w.-]+): /.exec(path)
  return title ? title[1]! : basename(path).replace(/^-/, '')
}

const psColumns = 'pid=,ppid=,stat=,tty=,lstart=,comm='
const psLine = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\d{4})\s+(.+?)\s*$/

function scanWithPs(exec: Runner): ProcessTable {
  const answer = exec.capture('ps', ['-axww', '-o', psColumns], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  if (answer.exitCode === 0) return parsePsTable(answer.stdout)
  throw unavailableError('cannot list the processes', `ps said: ${answer.stderr.trim() || 'nothing'}`)
}

export function parsePsTable(text: string): ProcessTable {
  const table = new Map<number, Process>()
  for (const line of text.split('\n')) {
    const [, pid, ppid, state, tty, startTime, command] = psLine.exec(line) ?? []
    if (!pid || state!.startsWith('Z')) continue
    table.set(Number(pid), {
      pid: Number(pid),
      ppid: Number(ppid),
      startTime: startTime!.replace(/\s+/g, ' '),
      tty: tty!.startsWith('?') ? null : `/dev/${tty}`,
      name: programName(command!),
    })
  }
  return table
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
