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
  | { kind: 'mission'; id: MissionId; directory: string }
  /** A directory of the user, which is not copied. */
  | { kind: 'dir'; path: string; mayBeShared: boolean }

/**
 * Creates `missions/<uuid>/agent`. A mission on a repo gets it from its wrapper, and a mission in a directory of the user
 * has none. If that fails, nothing is left behind.
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
      await interruptible(signal => copyMission(context, agent, source.directory, signal))
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
  { exec, env }: Context,
  agent: string,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  if (!existsSync(from)) throw new AgencError(`${from} no longer exists`, 'Its files cannot be copied.')
  const { copyDirectory } = await import('../repo/copy-directory.ts')
  return copyDirectory({ exec, env, from, to: agent, signal })
}
