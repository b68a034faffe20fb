import { isTaken, type Liveness, linuxProbe, type ProcessIdentity } from './process-identity.ts'

let mark: string | undefined

/**
 * A word for the name of a temporary file or directory, by which other processes can tell whether its maker still runs.
 * On macOS it has no start time, because asking `ps` takes too long.
 */
export function makerMark(): string {
  if (mark === undefined) {
    const start = process.platform === 'linux' ? linuxProbe().identify(process.pid)?.start : undefined
    mark = `${process.pid}@${start ?? ''}~`
  }
  return mark
}

/** Whether the process whose mark is in this name is known to have ended. Returns null if the name has no mark. */
export function isMakerGone(name: string): boolean | null {
  const [, pid, start] = /(\d+)@([^~/]*)~/.exec(name) ?? []
  return pid === undefined ? null : livenessOf({ pid: Number(pid), start: start! }) === 'dead'
}

function livenessOf(maker: ProcessIdentity): Liveness {
  if (maker.start !== '') return linuxProbe().liveness([maker])[0]!
  return isTaken(maker.pid) ? 'unknown' : 'dead'
}
