import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { disabledFilters, type GitTools, gitFailed, type LongGitOptions, runGit } from '../repo/git.ts'
import { hasRef } from '../repo/library.ts'
import { fillThenPlace } from '../repo/staging.ts'
import { createWorkingCopy, remotesOf } from '../repo/working-copy.ts'
import { isKept } from './kept-work.ts'
import { copyLargeFiles } from './large-files.ts'
import { checkpointRefs, keptRefs, type MissionRepo, missionRepo } from './mission-repo.ts'

export interface Rebuilding {
  /** The address that the repo is listed with. */
  url: string
  isTrusted: boolean
  signal: AbortSignal
}

/** Whether the mission's working copy was deleted. */
export function lacksDirectory(context: Context, mission: MissionRecord): boolean {
  const hadCopy = mission.repo !== null && mission.dir === null && mission.copy_pending === null
  return hadCopy && !hasDirectory(context, mission)
}

/** Whether the mission's working copy was deleted, but the library can give it back. */
export function canBeRebuilt(context: Context, mission: MissionRecord): boolean {
  return lacksDirectory(context, mission) && isKept(context, mission)
}

/** For commands that need the directory now. Throws if it is not there, and says how to get it back. */
export function requireDirectory(context: Context, mission: MissionRecord): void {
  if (hasDirectory(context, mission)) return
  const id = shortId(mission.id)
  throw new AgencError(
    mission.copy_pending !== null
      ? `the working copy of ${id} is not there yet`
      : `the directory of ${id} no longer exists: ${mission.dir ?? context.paths.mission(mission.id).agent}`,
    mission.copy_pending !== null
      ? `It is made when the mission starts: agenc mission resume ${id}`
      : isKept(context, mission)
        ? `The library gives it back when the mission starts: agenc mission resume ${id}`
        : `Delete the mission with: agenc mission rm ${id}`,
  )
}

function hasDirectory({ paths }: Context, mission: MissionRecord): boolean {
  return existsSync(mission.dir ?? paths.mission(mission.id).agent)
}

/**
 * Makes the mission's working copy again, at the same path, so that Claude finds its conversation. It has the branches
 * and checkpoints that the library kept, and the files of the last state: what was not committed is not committed again.
 */
export async function rebuildDirectory(
  context: Context,
  mission: MissionRecord,
  { url, isTrusted, signal }: Rebuilding,
): Promise<void> {
  const { exec, env, paths } = context
  const { root, agent } = paths.mission(mission.id)
  const repo = missionRepo(context, mission)
  if (!isKept(context, mission))
    throw new AgencError(
      `the directory of ${missionTitle(mission)} is gone, and the library has nothing of it`,
      `Restore ${agent}, or delete the mission with: agenc mission rm ${shortId(mission.id)}`,
    )
  await fillThenPlace(root, agent, async directory => {
    const remotes = remotesOf(context, { id: mission.repo!, url, library: repo.library })
    await createWorkingCopy({
      exec,
      env,
      source: repo.library,
      destination: directory,
      ...remotes,
      trusted: isTrusted,
      signal,
    })
    await bringBackRefs(context, repo, mission.branch, directory, signal)
    copyLargeFiles(repo.library, join(directory, '.git'))
    await bringBackFiles(context, directory, isTrusted, signal)
  })
}

const lastState = 'refs/agenc/last-state'
const lastHead = 'refs/agenc/last-head'

async function bringBackRefs(
  tools: GitTools,
  { id, library }: MissionRepo,
  branch: string | null,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const gitDir = join(directory, '.git')
  const kept = keptRefs(id)
  const hasHead = hasRef(tools, library, kept.head)
  const refspecs = [
    `+${kept.heads}*:refs/heads/*`,
    `+${kept.checkpoints}*:${checkpointRefs}*`,
    `+${kept.now}:${lastState}`,
    ...(hasHead ? [`+${kept.head}:${lastHead}`] : []),
  ]
  const git = gitIn(tools, { gitDir, signal, config: ['gc.auto=0', 'maintenance.auto=false'] })
  const fetch = ['fetch', '--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--update-head-ok']
  await git([...fetch, library, ...refspecs])
  if (!hasHead) {
    if (branch !== null) await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  } else if (branch !== null && hasRef(tools, gitDir, `refs/heads/${branch}`))
    await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  else await git(['update-ref', '--no-deref', 'HEAD', lastHead])
}

/** The index gets the files of HEAD, and the directory those of the last state. */
async function bringBackFiles(
  tools: GitTools,
  directory: string,
  isTrusted: boolean,
  signal: AbortSignal,
): Promise<void> {
  const gitDir = join(directory, '.git')
  const filters = isTrusted ? [] : disabledFilters(tools, { gitDir })
  const git = gitIn(tools, { gitDir, workTree: directory, signal, config: filters })
  await git(['read-tree', '--reset', '-u', '--no-recurse-submodules', lastState])
  await git(['read-tree', hasRef(tools, gitDir, 'HEAD') ? 'HEAD' : '--empty'])
  // Its exit code only says that files differ from HEAD.
  await runGit(tools, ['update-index', '-q', '--refresh'], {
    gitDir,
    workTree: directory,
    signal,
    config: filters,
  })
  for (const ref of [lastState, lastHead]) await git(['update-ref', '-d', ref])
}

function gitIn(tools: GitTools, options: LongGitOptions) {
  return async (args: readonly string[]): Promise<void> => {
    const done = await runGit(tools, args, options)
    if (done.exitCode !== 0) throw gitFailed('cannot rebuild the directory from the library', done)
  }
}
