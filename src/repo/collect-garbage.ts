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
  for (const step of steps) {
    const done = await runGit(tools, step, { ...options, gitDir: library })
    if (done.exitCode !== 0) throw gitFailed('cannot delete what is no longer needed', done)
  }
}
