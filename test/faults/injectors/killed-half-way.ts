import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { agencScript, type Sandbox } from '../../helpers/cli.ts'
import { tryKill } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait.ts'

/** Runs an agenc command and kills it, with the programs that it has started, once the condition holds. */
export async function killedHalfWay(
  box: Sandbox,
  args: string[],
  { env, when }: { env: NodeJS.ProcessEnv; when: () => boolean },
): Promise<void> {
  const child = spawn(process.execPath, [agencScript, ...args], {
    env: { ...box.env, ...env },
    cwd: box.root,
    stdio: 'ignore',
    detached: true,
  })
  const kill = () => tryKill(-child.pid!, 'SIGKILL')
  // Later, its pid may belong to another process.
  onTestFinished(() => {
    if ((child.exitCode ?? child.signalCode) === null) kill()
  })
  const gone = once(child, 'exit')
  await waitFor('the moment to kill agenc', when)
  kill()
  await gone
}
