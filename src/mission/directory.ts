import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import { MissionPaths } from '../paths.ts'
import { libraryPath } from '../repo/library.ts'
import { createWorkingCopy, remotesOf } from '../repo/working-copy.ts'
import { systemProbe } from '../system/process-identity.ts'
import { interruptible } from '../system/signals.ts'
import { markAsUnfinished, unfinishedPrefix } from './maker-mark.ts'

/** The source of a mission's files. */
export type DirectorySource =
  | { kind: 'blank' }
  | { kind: 'repo'; id: string; url: string; isTrusted: boolean }
  | { kind: 'mission'; id: MissionId; directory: string }
  /** A directory of the user, which is not copied. */
  | { kind: 'dir'; path: string; mayBeShared: boolean }

/** Creates `missions/<uuid>/agent`, unless the user gave a directory. If that fails, nothing is left behind. */
export async function prepareDirectory(
  context: Context,
  id: MissionId,
  source: DirectorySource,
): Promise<void> {
  const { root, agent } = context.paths.mission(id)
  makeUnfinished(context, root)
  try {
    if (source.kind === 'blank') mkdirSync(agent, { mode: 0o700 })
    else if (source.kind !== 'dir') await interruptible(signal => fill(context, agent, source, signal))
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

async function fill(
  context: Context,
  agent: string,
  source: Exclude<DirectorySource, { kind: 'blank' | 'dir' }>,
  signal: AbortSignal,
): Promise<void> {
  const { exec, env, paths } = context
  switch (source.kind) {
    case 'repo': {
      const library = libraryPath(paths.repos, source.id)
      return createWorkingCopy({
        exec,
        env,
        source: library,
        destination: agent,
        ...remotesOf(context, { ...source, library }),
        trusted: source.isTrusted,
        signal,
      })
    }
    case 'mission': {
      const from = source.directory
      if (!existsSync(from)) throw new AgencError(`${from} no longer exists`, 'Its files cannot be copied.')
      const { copyDirectory } = await import('../repo/copy-directory.ts')
      return copyDirectory({ exec, env, from, to: agent, signal })
    }
  }
}
