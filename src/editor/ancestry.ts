import type { Process, ProcessTable } from '../system/process-table.ts'

const maxParents = 20

export interface Ancestry {
  /** A process and its parents, nearest first, as far as a tmux server. */
  line: Process[]
  /** A server's own parents say only who happened to start it, not who looks at it. */
  tmuxServer: Process | null
}

export function ancestryOf(processes: ProcessTable, pid: number): Ancestry {
  const line: Process[] = []
  for (let next = processes.get(pid); next && line.length <= maxParents; next = processes.get(next.ppid)) {
    // As a parent tmux is always the server: a client starts nothing.
    if (line.length > 0 && /^tmux\b/.test(next.name)) return { line, tmuxServer: next }
    line.push(next)
  }
  return { line, tmuxServer: null }
}
