import { realpathSync } from 'node:fs'
import type { Runner } from './exec/runner.ts'
import { systemRunner } from './exec/runner.ts'
import { type Output, outputOf } from './io/output.ts'
import { type Paths, pathsFrom } from './paths.ts'

/** Everything a command may touch of the outside world, so that tests can hand in their own. */
export interface Context {
  env: NodeJS.ProcessEnv
  cwd: string
  paths: Paths
  now: () => Date
  exec: Runner
  /** How to start agenc itself again: Node and the script, both absolute. */
  self: readonly string[]
  stdin: NodeJS.ReadStream
  out: Output
  err: Output
}

export function systemContext(): Context {
  return {
    env: process.env,
    cwd: process.cwd(),
    paths: pathsFrom(process.env),
    now: () => new Date(),
    exec: systemRunner,
    self: [process.execPath, realpathSync(process.argv[1]!)],
    stdin: process.stdin,
    out: outputOf(process.stdout, process.env),
    err: outputOf(process.stderr, process.env),
  }
}

/** May we ask the user something? */
export function isInteractive(context: Context): boolean {
  return Boolean(context.stdin.isTTY) && context.err.isTerminal
}
