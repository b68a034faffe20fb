import { onTestFinished } from 'vitest'
import { isSuspended, tryKill } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait.ts'

/** Stops a process at this moment. Returns a function that lets it continue, which the end of the test does too. */
export async function freeze(pid: number): Promise<() => void> {
  const thaw = () => tryKill(pid, 'SIGCONT')
  onTestFinished(thaw)
  process.kill(pid, 'SIGSTOP')
  await waitFor(`${pid} to stand still`, () => isSuspended(pid))
  return thaw
}
