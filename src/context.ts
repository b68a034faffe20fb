import { realpathSync } from 'node:fs'
import { AgencError } from './errors.ts'
import { type Output, outputTo } from './io/output.ts'
import { type Paths, pathsFrom } from './paths.ts'
import type { Runner } from './system/runner.ts'
import { systemRunner } from './system/runner.ts'

/** Everything that a command uses of the outside world. Tests pass in their own. */
export interface Context {
  env: NodeJS.ProcessEnv
  cwd: string
  paths: Paths
  now: () => Date
  exec: Runner
  /** The command that starts agenc: Node and the script, both as absolute paths. */
  self: readonly string[]
  stdin: NodeJS.ReadStream
  out: Output
  err: Output
}

/** Opens each stream on first use: a stream takes a few milliseconds, and most commands need only one. */
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
      'the current directory no longer exists',
      "Change to another directory with 'cd', then try again.",
    )
  }
}

/** Returns a context that inherits from `context`. A spread would read every getter, and so open every stream. */
export function withChanges(context: Context, changes: Partial<Context>): Context {
  return Object.create(context, Object.getOwnPropertyDescriptors(changes))
}

/** Whether the user can be asked a question. */
export function isInteractive(context: Context): boolean {
  return Boolean(context.stdin.isTTY) && context.err.isTerminal
}
