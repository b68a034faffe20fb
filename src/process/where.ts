import type { Runner } from '../exec/runner.ts'
import { scanProcesses } from './table.ts'

/** For people: `on /dev/pts/3 (process 4711)`. */
export function whereIsIt(exec: Runner, pid: number): string {
  const tty = scanProcesses(process.platform, exec).get(pid)?.tty
  return `${tty ? `on ${tty}` : 'without a terminal'} (process ${pid})`
}
