import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { quoteForShell } from '../../../src/io/shell-quote.ts'
import { findProgram } from '../../../src/system/find-program.ts'
import type { Sandbox } from '../../helpers/cli.ts'

export interface FailingProgram {
  /** An environment in which the program fails. */
  env: NodeJS.ProcessEnv
  /** Whether the program has got to the word at which it fails. */
  hasFailed(): boolean
}

export type Failure = 'dies before' | 'dies after' | 'hangs'

/**
 * A program on the PATH that fails when one of its arguments is this word, such as a subcommand of git: it kills
 * itself before or after it has done its work, or hangs. Otherwise it is the real program.
 */
export function failingProgram(
  box: Sandbox,
  program: string,
  word: string,
  failure: Failure,
): FailingProgram {
  const real = findProgram(program, box.env)
  if (real === null) throw new Error(`${program} is not installed`)
  const directory = join(box.root, `failing-${program}-${word}-${failure.replace(' ', '-')}`)
  const marker = join(directory, 'failed')
  mkdirSync(directory)
  const actions: Record<Failure, string> = {
    'dies before': 'kill -9 $$',
    'dies after': `${quoteForShell(real)} "$@"; kill -9 $$`,
    hangs: "trap '' TERM; exec sleep 600",
  }
  const script = `#!/bin/sh
for word in "$@"; do
  if [ "$word" = ${quoteForShell(word)} ]; then : >${quoteForShell(marker)}; ${actions[failure]}; fi
done
exec ${quoteForShell(real)} "$@"
`
  const path = join(directory, program)
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return {
    env: { PATH: `${directory}${delimiter}${box.env.PATH}` },
    hasFailed: () => existsSync(marker),
  }
}
