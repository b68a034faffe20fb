import type { Runner } from './runner.ts'

/** Started by a shell that ends at once, so that it is nobody's child and outlives whoever asked for it. */
export function spawnDetached(exec: Runner, command: readonly string[], env: NodeJS.ProcessEnv): void {
  const shell = exec.start('/bin/sh', ['-c', '"$@" </dev/null >/dev/null 2>&1 &', 'sh', ...command], {
    env,
    stdio: 'ignore',
    detached: true,
    cwd: '/',
  })
  shell.on('error', () => {})
}
