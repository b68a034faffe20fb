import { dirname } from 'node:path'
import { askGit, disabledFilters, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { fetchUrlOf, hasRef, knownOrigin, originHeadOf, setOriginHead } from './library.ts'
import { localHost } from './reference.ts'
import { fillThenPlace, removeTree } from './staging.ts'

export interface Remotes {
  /** The real remote, which becomes `origin`. */
  remoteUrl: string
  /** The directory that the repo was added from, if that has an origin of its own. Becomes the remote `local`. */
  localPath?: string
}

/** What is checked out in a working copy. */
export interface Start {
  /** Null before the first commit. */
  commit: string | null
  /** Null for a detached HEAD. */
  branch: string | null
  /** A new branch tracks nothing. Another one tracks the branch of origin with its name, if there is one. */
  isNew: boolean
}

export interface WorkingCopy extends GitTools, Remotes {
  /** The repo in the library. */
  source: string
  destination: string
  /** Defaults to the default branch. */
  start?: Start
  /** Called when the copy is complete, before it appears at its destination. */
  beforePlaced?: () => void
  /** The user's filter programs run only on the files of a trusted repo. */
  trusted?: boolean
  signal?: AbortSignal
}

/** The remotes of a working copy. `url` is the address that the repo is listed with. */
export function remotesOf(
  tools: GitTools,
  { id, url, library }: { id: string; url: string; library: string },
): Remotes {
  const path = id.startsWith(`${localHost}/`) ? fetchUrlOf(tools, library) : url
  return path === url ? { remoteUrl: url } : { remoteUrl: url, localPath: path }
}

/** Faster than git's default of one even on two cores, because writing files is mostly waiting. */
const checkoutWorkers = 4

/**
 * Creates an independent clone without the network. Objects are hard links, or copies across file systems, so the clone
 * survives the removal of the library's repo. Submodules are not fetched; their relative addresses resolve against the real origin.
 */
export async function createWorkingCopy(copy: WorkingCopy): Promise<void> {
  const tools: GitTools = { exec: copy.exec, env: copy.env }
  await fillThenPlace(dirname(copy.destination), copy.destination, async directory => {
    const options = { signal: copy.signal }
    const gitDir = `${directory}/.git`
    if (copy.localPath === undefined) {
      await cloneFromLibrary(tools, copy.source, directory, [], options)
      setConfig(tools, gitDir, 'remote.origin.url', copy.remoteUrl)
    } else await cloneWithLocal(tools, copy, copy.localPath, directory)
    if (copy.start) await goTo(tools, copy.source, gitDir, copy.start, copy.signal)
    const filters = copy.trusted ? [] : disabledFilters(tools, { gitDir })
    const checkedOut = await runGit(tools, ['read-tree', '-m', '-u', '--no-recurse-submodules', 'HEAD'], {
      ...options,
      gitDir,
      workTree: directory,
      config: [`checkout.workers=${checkoutWorkers}`, ...filters],
    })
    if (checkedOut.exitCode !== 0 && hasRef(tools, gitDir, 'HEAD')) {
      throw gitFailed('cannot check out the working copy', checkedOut)
    }
    copy.beforePlaced?.()
  })
}

/** Points HEAD to the start. The files follow. */
async function goTo(
  tools: GitTools,
  source: string,
  gitDir: string,
  { commit, branch, isNew }: Start,
  signal: AbortSignal | undefined,
): Promise<void> {
  const git = (...args: string[]) => {
    const done = askGit(tools, args, { gitDir })
    if (done.exitCode !== 0) throw gitFailed('cannot check out the working copy', done)
  }
  if (commit !== null && !hasRef(tools, gitDir, `${commit}^{commit}`)) {
    // A repo without its whole history is not linked but fetched, and then only what its branches have.
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', source, commit]
    const fetched = await runGit(tools, args, { gitDir, signal })
    if (fetched.exitCode !== 0) throw gitFailed(`cannot copy ${source}`, fetched)
  }
  if (branch === null) return commit === null ? undefined : git('update-ref', '--no-deref', 'HEAD', commit)
  if (commit !== null) git('update-ref', `refs/heads/${branch}`, commit)
  git('symbolic-ref', 'HEAD', `refs/heads/${branch}`)
  if (isNew) return
  if (!hasRef(tools, gitDir, `refs/remotes/origin/${branch}`)) return
  setConfig(tools, gitDir, `branch.${branch}.remote`, 'origin')
  setConfig(tools, gitDir, `branch.${branch}.merge`, `refs/heads/${branch}`)
}

/** The library's branches become those of `local`. `origin` gets the branches that the source knows of it. */
async function cloneWithLocal(
  tools: GitTools,
  { source, remoteUrl, signal }: WorkingCopy,
  localPath: string,
  directory: string,
): Promise<void> {
  const gitDir = `${directory}/.git`
  const settings = [
    `remote.origin.url=${remoteUrl}`,
    'remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*',
    // Without these, git could not tell which remote's branch to switch to, and would push a local one to the source.
    'checkout.defaultRemote=origin',
    'remote.pushDefault=origin',
  ]
  const args = ['--origin=local', ...settings.flatMap(setting => ['--config', setting])]
  await cloneFromLibrary(tools, source, directory, args, { signal })
  setConfig(tools, gitDir, 'remote.local.url', localPath)
  const fetched = await runGit(
    tools,
    ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', source, ...knownOrigin],
    { gitDir, signal, config: ['gc.auto=0', 'maintenance.auto=false'] },
  )
  if (fetched.exitCode !== 0) throw gitFailed(`cannot copy ${source}`, fetched)
  setOriginHead(tools, gitDir, originHeadOf(tools, source))
  trackOrigin(tools, gitDir)
}

/** Makes the current branch track the one of origin. If origin lacks it, it tracks nothing, like any unpushed branch. */
function trackOrigin(tools: GitTools, gitDir: string): void {
  const branch = askGit(tools, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { gitDir }).stdout.trimEnd()
  if (hasRef(tools, gitDir, `refs/remotes/origin/${branch}`))
    setConfig(tools, gitDir, `branch.${branch}.remote`, 'origin')
  else askGit(tools, ['config', '--remove-section', `branch.${branch}`], { gitDir })
}

function setConfig(tools: GitTools, gitDir: string, key: string, value: string): void {
  const done = askGit(tools, ['config', key, value], { gitDir })
  if (done.exitCode !== 0) throw gitFailed('cannot set the remotes of the working copy', done)
}

async function cloneFromLibrary(
  tools: GitTools,
  source: string,
  directory: string,
  more: readonly string[],
  options: LongGitOptions,
): Promise<void> {
  // git uses hard links for a path anyway; an explicit --local would forbid copies across file systems.
  const args = [
    'clone',
    '--quiet',
    '--no-checkout',
    '--no-recurse-submodules',
    // Otherwise git would refuse to push a branch that tracks nothing.
    '--config=push.autoSetupRemote=true',
    ...more,
    '--',
    source,
    directory,
  ]
  const config = ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false']
  const cloned = await runGit(tools, args, { ...options, config })
  if (cloned.exitCode === 0) return
  // Tries twice, because an update may have repacked the library and removed a pack that was about to be linked.
  await removeTree(directory)
  const again = await runGit(tools, args, { ...options, config })
  if (again.exitCode !== 0) throw gitFailed(`cannot copy ${source}`, again)
}
