import { readdirSync, readFileSync } from 'node:fs'
import type { MissionId } from '../mission-id.ts'
import type { Runner } from '../system/runner.ts'

/**
 * Finds the processes that a Claude's tools left running when it was killed. They are no longer its children, but Claude
 * gives each tool its own pid in the environment, and the mission's id comes with it. Both must match.
 */
export function leftTools(exec: Runner, mission: MissionId, claudePid: number): number[] {
  const wanted = [`AGENC_MISSION_UUID=${mission}`, `CLAUDE_PID=${claudePid}`]
  const environments = process.platform === 'linux' ? linuxEnvironments() : psEnvironments(exec)
  return environments
    .filter(({ variables }) => wanted.every(variable => variables.includes(variable)))
    .map(({ pid }) => pid)
    .filter(pid => pid !== process.pid)
}

interface Environment {
  pid: number
  variables: string[]
}

function linuxEnvironments(): Environment[] {
  return processIds().flatMap(pid => {
    try {
      return [{ pid, variables: readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0') }]
    } catch {
      // The process has ended, or belongs to another user.
      return []
    }
  })
}

/** Claude has ended, and the mission must end too, even if the system does not list processes. */
function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** `ps` prints the environment behind the command, separated by spaces. */
function psEnvironments(exec: Runner): Environment[] {
  const { stdout } = exec.capture('ps', ['-axEww', '-o', 'pid=,command='])
  return stdout.split('\n').map(line => {
    const [pid = '', ...variables] = line.trim().split(/\s+/)
    return { pid: Number(pid), variables }
  })
}
