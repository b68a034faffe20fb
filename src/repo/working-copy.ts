import { dirname } from 'node:path'
import { askGit, disabledFilters, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { fillThenPlace } from './staging.ts'

export interface WorkingCopy extends GitTools {
  /** The repo in the library. */
  source: string
  /** The real remote, which becomes `origin`. */
  remoteUrl: string
  destination: string
  /** The user's filter programs run only on the files of a trusted repo. */
  trusted?: boolean
  signal?: AbortSignal
}

/** Faster than git's default of one even on two cores, because writing files is mostly waiting. */
const checkoutWorkers = 4

/**
 * Creates an independent clone without the network. Objects are hard links, or copies across file systems, so the clone
 * survives the removal of the library's repo. The default branch is checked out and tracks origin. Submodules are not
 * fetched; their relative addresses resolve against the real origin.
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
  // git uses hard links for a path anyway; an explicit --local would forbid copies across file systems.
  const args = ['clone', '--quiet', '--no-checkout', '--no-recurse-submodules', '--', source, directory]
  const config = ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false']
  const cloned = await runGit(tools, args, { ...options, config })
  if (cloned.exitCode === 0) return
  // Tries twice, because an update may have repacked the library and removed a pack that was about to be linked.
  const again = await runGit(tools, args, { ...options, config })
  if (again.exitCode !== 0) throw gitFailed(`cannot copy ${source}`, again)
}
