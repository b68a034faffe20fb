import { realpathSync } from 'node:fs'
import { AgencError } from './errors.ts'
import { type Output, outputTo } from './io/output.ts'
import { type Paths, pathsFrom } from './paths.ts'
import type { Runner } from './system/runner.ts'
import { systemRunner } from './system/runner.ts'

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

/** Streams are opened when somebody wants them: each costs a few milliseconds, and most commands need one. */
export function systemContext(): Context {
  let out: Output | undefined
  let err: Output | undefined
  return {
    env: process.env,
    get cwd() {
      return currentDirectory()
    },
    paths: pathsFrom(process.env),
    now: () => new Date(),
    exec: systemRunner,
    get self() {
      return [process.execPath, realpathSync.native(process.argv[1]!)]
    },
    get stdin() {
      return process.stdin
    },
    get out() {
      out ??= outputTo(1, process.env)
      return out
    },
    get err() {
      err ??= outputTo(2, process.env)
      return err
    },
  }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    throw new AgencError(
      'this directory does not exist any more',
      "Go to another one first, for instance with 'cd'.",
    )
  }
}

/** The same but for these; a spread would open every stream, and a spread of this would lose the rest. */
export function withChanges(context: Context, changes: Partial<Context>): Context {
  return Object.create(context, Object.getOwnPropertyDescriptors(changes))
}

/** May we ask the user something? */
export function isInteractive(context: Context): boolean {
  return Boolean(context.stdin.isTTY) && context.err.isTerminal
}
