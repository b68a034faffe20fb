import { dirname } from 'node:path'
import { askGit, disabledFilters, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { fillThenPlace } from './staging.ts'

export interface WorkingCopy extends GitTools {
  /** The repo in the library. */
  source: string
  /** The real remote, which becomes `origin`. */
  remoteUrl: string
  destination: string
  /** Only in a trusted repo do the user's filter programs run on its files. */
  trusted?: boolean
  signal?: AbortSignal
}

/** Faster than git's own default of one, also on two cores, because writing files is mostly waiting. */
const checkoutWorkers = 4

/**
 * A clone of its own, without the network: objects are hard links (copies across file systems), the default
 * branch is checked out and follows origin, and it stays whole when the library's repo goes.
 * Submodules are left alone; their relative addresses resolve against the real origin.
 */
export async function createWorkingCopy(copy: WorkingCopy): Promise<void> {
  const tools: GitTools = { exec: copy.exec, env: copy.env }
  await fillThenPlace(dirname(copy.destination), copy.destination, async directory => {
    const options = { signal: copy.signal }
    await cloneFromLibrary(tools, copy.source, directory, options)
    const gitDir = `${directory}/.git`
    const pointed = askGit(tools, ['config', 'remote.origin.url', copy.remoteUrl], { gitDir })
    if (pointed.exitCode !== 0) throw gitFailed('cannot set the origin of the working copy', pointed)
    const filters = copy.trusted ? [] : disabledFilters(tools, { gitDir })
    const checkedOut = await runGit(tools, ['read-tree', '-m', '-u', '--no-recurse-submodules', 'HEAD'], {
      ...options,
      gitDir,
      workTree: directory,
      config: [`checkout.workers=${checkoutWorkers}`, ...filters],
    })
    if (checkedOut.exitCode !== 0 && hasCommit(tools, gitDir)) {
      throw gitFailed('cannot check out the working copy', checkedOut)
    }
  })
}

function hasCommit(tools: GitTools, gitDir: string): boolean {
  return askGit(tools, ['rev-parse', '--quiet', '--verify', 'HEAD'], { gitDir }).exitCode === 0
}

async function cloneFromLibrary(
  tools: GitTools,
  source: string,
  directory: string,
  options: LongGitOptions,
): Promise<void> {
  // A path is cloned with hard links as it is; an explicit --local would forbid the copy across file systems.
  const args = ['clone', '--quiet', '--no-checkout', '--no-recurse-submodules', '--', source, directory]
  const config = ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false']
  const cloned = await runGit(tools, args, { ...options, config })
  if (cloned.exitCode === 0) return
  // An update that repacks the library at this moment takes away a pack that is about to be linked.
  const again = await runGit(tools, args, { ...options, config })
  if (again.exitCode !== 0) throw gitFailed(`cannot copy ${source}`, again)
}
