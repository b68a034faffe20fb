import { scanProcesses } from './process-table.ts'
import type { Runner } from './runner.ts'

/** For people: `on /dev/pts/3 (process 4711)`. */
export function whereIsIt(exec: Runner, pid: number): string {
  const tty = scanProcesses(process.platform, exec).get(pid)?.tty
  return `${tty ? `on ${tty}` : 'without a terminal'} (process ${pid})`
}
