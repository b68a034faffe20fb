import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import { MissionPaths } from '../paths.ts'
import { systemProbe } from '../system/process-identity.ts'
import { interruptible } from '../system/signals.ts'
import { markAsUnfinished, unfinishedPrefix } from './maker-mark.ts'

/** The source of a mission's files. */
export type DirectorySource =
  | { kind: 'blank' }
  | { kind: 'repo'; id: string; isTrusted: boolean }
  | { kind: 'mission'; id: MissionId }

/**
 * Creates `missions/<uuid>/agent`, except for a mission on a repo: its wrapper makes the working copy. If that fails,
 * nothing is left behind.
 */
export async function prepareDirectory(
  context: Context,
  id: MissionId,
  source: DirectorySource,
): Promise<void> {
  const { root, agent } = context.paths.mission(id)
  makeUnfinished(context, root)
  try {
    if (source.kind === 'blank') mkdirSync(agent, { mode: 0o700 })
    if (source.kind === 'mission')
      await interruptible(signal => copyMission(context, agent, source.id, signal))
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

/** The directory appears together with its mark. */
function makeUnfinished({ paths, exec }: Context, root: string): void {
  const draft = new MissionPaths(join(paths.missions, `${unfinishedPrefix}${basename(root)}`))
  makePrivateDirectory(draft.root)
  try {
    markAsUnfinished(draft, systemProbe(exec))
    renameSync(draft.root, root)
  } catch (error) {
    rmSync(draft.root, { recursive: true, force: true })
    throw error
  }
}

async function copyMission(
  { exec, env, paths }: Context,
  agent: string,
  original: MissionId,
  signal: AbortSignal,
): Promise<void> {
  const from = paths.mission(original).agent
  if (!existsSync(from)) throw new AgencError(`${from} no longer exists`, 'Its files cannot be copied.')
  const { copyDirectory } = await import('../repo/copy-directory.ts')
  return copyDirectory({ exec, env, from, to: agent, signal })
}

/** The directory to start a mission's window in. Before the working copy is there, its parent directory. */
export function startDirectory({ root, agent }: MissionPaths): string {
  return existsSync(agent) ? agent : root
}
