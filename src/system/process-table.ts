import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { unavailableError } from '../errors.ts'
import { hasEnded, type ProcStat, readProcStat } from './proc-stat.ts'
import type { Runner } from './runner.ts'

export interface Process {
  readonly pid: number
  readonly ppid: number
  /** Opaque. Together with the pid it tells this process from a later one. */
  readonly startTime: string
  /** The device as tmux names it (`/dev/pts/3`), null if there is no controlling terminal. */
  readonly tty: string | null
  /** The program's real name. The kernel's own (`comm`) is cut at 15 characters and can be rewritten. */
  readonly name: string
}

export type ProcessTable = ReadonlyMap<number, Process>

/** Lists all living processes at once. */
export function scanProcesses(platform: NodeJS.Platform, exec: Runner): ProcessTable {
  return platform === 'linux' ? scanProc() : scanWithPs(exec)
}

/** The process, its parent, the parent of that one, and so on. */
export function* ancestorsOf(start: number, platform: NodeJS.Platform, exec: Runner): Generator<number> {
  const table = platform === 'linux' ? null : scanWithPs(exec)
  const parentOf = (pid: number) => (table ? table.get(pid) : readProcStat(pid))?.ppid ?? 0
  const visited = new Set<number>()
  for (let pid = start; pid > 1 && !visited.has(pid); pid = parentOf(pid)) {
    visited.add(pid)
    yield pid
  }
}

function scanProc(): ProcessTable {
  const table = new Map<number, Process>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const stat = Number.isInteger(pid) ? readProcStat(pid) : null
    if (stat !== null && !hasEnded(stat)) table.set(pid, processOf(stat))
  }
  return table
}

/** Looks a name up only when it is used: a scan sees hundreds of processes, and its caller needs few names. */
function processOf({ pid, ppid, tty, startTicks, comm }: ProcStat): Process {
  let name: string | undefined
  return {
    pid,
    ppid,
    tty,
    startTime: startTicks,
    get name() {
      name ??= linuxName(pid, comm)
      return name
    },
  }
}

/** The executable of another user's process (sshd) cannot be read, but its command line can. */
function linuxName(pid: number, comm: string): string {
  const executable = readOrNull(() => readlinkSync(`/proc/${pid}/exe`))
  if (executable) return programName(executable)
  const argv0 = readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.split('\0')[0]
  return argv0 ? programName(argv0) : comm
}

/** Finds the program in a path, a login shell's `-zsh`, or a title such as `sshd: anna@pts/0`. */
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
  throw unavailableError('cannot list the processes', `ps failed: ${answer.stderr.trim() || 'no output'}`)
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

/** Says where a process runs, for people: `on /dev/pts/3 (process 4711)`. */
export function describeLocation(exec: Runner, pid: number): string {
  const table = readOrNull(() => scanProcesses(process.platform, exec))
  if (table === null) return `as process ${pid}`
  const tty = table.get(pid)?.tty
  return `${tty ? `on ${tty}` : 'without a terminal'} (process ${pid})`
}
