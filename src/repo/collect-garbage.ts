import { join } from 'node:path'
import { AgencError } from '../errors.ts'
import { tryWithLock } from '../io/lock.ts'
import { type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'

/**
 * Deletes the objects of a library repo that no ref needs, and packs the others. Objects that are younger than `expire`
 * stay: another process may be about to name them.
 */
export async function collectGarbage(
  tools: GitTools,
  library: string,
  { expire, ...options }: Pick<LongGitOptions, 'signal' | 'showsProgress'> & { expire: string },
): Promise<void> {
  const quiet = options.showsProgress ? [] : ['--quiet']
  const steps = [
    ['repack', '-A', '-d', ...quiet, `--unpack-unreachable=${expire}`],
    ['prune', `--expire=${expire}`],
  ]
  const isDone = await tryWithLock(packingOf(library), async () => {
    for (const step of steps) {
      const done = await runGit(tools, step, { ...options, gitDir: library })
      if (done.exitCode !== 0) throw gitFailed('cannot delete what is no longer needed', done)
    }
  })
  if (!isDone) throw new AgencError(`another process is packing ${library}`, 'Try again in a moment.')
}

/** Held by the one process that packs a repo of the library. */
export function packingOf(library: string): string {
  return join(library, 'repack')
}
