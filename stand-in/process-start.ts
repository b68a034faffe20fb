import { readFileSync } from 'node:fs'
import { systemRunner } from '../src/system/runner.ts'

/** When this process started, in the terms of the platform: with the pid it names a process for good. */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startTicks(pid) : startTime(pid)
}

/** The command's name may hold blanks and brackets, so fields are counted from the last bracket. */
function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function startTime(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const { stdout } = systemRunner.capture('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
  return stdout.trim() || undefined
}
