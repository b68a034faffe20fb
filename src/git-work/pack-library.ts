import { join } from 'node:path'
import { namesIn } from '../io/files.ts'
import { tryWithLock } from '../io/lock.ts'
import { packingOf } from '../repo/collect-garbage.ts'
import { libraryGit, type MissionRepo, outputOf } from './mission-repo.ts'

const mostPacks = 50

/**
 * Every snapshot adds a pack, and git gets slower with their number. Joins small ones, and leaves large ones alone. No
 * object is deleted. A clone that was about to link one of the old packs tries again.
 */
export async function packLibrary(repo: MissionRepo, most = mostPacks): Promise<void> {
  const packs = namesIn(join(repo.library, 'objects', 'pack')).filter(name => name.endsWith('.pack'))
  if (packs.length <= most) return
  const args = ['repack', '-d', '-l', '--quiet', '--geometric=2', '--no-write-bitmap-index']
  await tryWithLock(packingOf(repo.library), async () => {
    const packed = libraryGit(repo, args, {
      isLow: true,
      env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' },
      config: ['pack.threads=1', 'core.bigFileThreshold=32m', 'repack.updateServerInfo=false'],
    })
    await outputOf(packed, 'cannot pack the library')
  })
}
