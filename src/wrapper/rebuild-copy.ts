import type { Config } from '../config/schema.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getRepo } from '../db/repos.ts'
import { isCancelled } from '../errors.ts'
import { lacksDirectory, rebuildDirectory } from '../git-work/rebuild-directory.ts'
import { repoConfig } from '../mission/effective-settings.ts'
import { fetchUrlOf, libraryPath } from '../repo/library.ts'
import type { Run } from './run-mission.ts'
import { onEndingSignal } from './signal-policy.ts'

const ownSignalMs = 1_000

/** Makes the working copy of a mission again, if `done` or `rm` has deleted it. */
export async function rebuildCopy(run: Run, mission: MissionRecord, config: Config): Promise<void> {
  const { context, db, missions, signals } = run
  const { id, repo } = mission
  if (repo === null || signals.received !== null || !lacksDirectory(context, mission)) return
  const givenUp = new AbortController()
  signals.listen(() => {
    if (onEndingSignal('before') === 'give-up') givenUp.abort()
  })
  context.err.line('agenc: rebuilding the directory from the library, without the files that git ignores')
  try {
    const listed = getRepo(db, repo)
    const url = listed?.url ?? fetchUrlOf(context, libraryPath(context.paths.repos, repo))
    await rebuildDirectory(context, mission, {
      url,
      isTrusted: listed?.trusted === 1,
      signal: givenUp.signal,
    })
    missions.change(id, {}, ['directory-rebuilt'])
    const { copyIncluded } = await import('../repo/include-files.ts')
    await copyIncluded(context, {
      repo,
      settings: repoConfig(repo, config),
      directory: context.paths.mission(id).agent,
      isNew: false,
      signal: givenUp.signal,
    })
  } catch (error) {
    // git may have got the signal first.
    if (isCancelled(error)) await signals.arrivesWithin(ownSignalMs)
    if (signals.received === null || !isCancelled(error)) throw error
  }
}
