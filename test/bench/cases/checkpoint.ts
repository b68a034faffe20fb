import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureChanges } from '../../../src/git-work/changes.ts'
import { takeSnapshot } from '../../../src/git-work/snapshot.ts'
import { newMissionId } from '../../../src/mission-id.ts'
import { systemRunner } from '../../../src/system/runner.ts'
import { timeProgram } from '../box.ts'
import type { Case } from '../comparison.ts'
import { makeLargeRepo } from './working-copy.ts'

const files = 20_000
const changedFiles = 5

/** Times what the wrapper does after a turn, without the start of Node. */
export const checkpoint: Case = {
  prepare: box => {
    const library = makeLargeRepo(box, files)
    const directory = join(box.root, 'checkpointed')
    execFileSync('git', ['clone', '--quiet', library, directory], { env: box.env })
    const repo = { exec: systemRunner, env: box.env, id: newMissionId(), library, directory }
    let round = 0
    const change = () => {
      round++
      for (let at = 0; at < changedFiles; at++)
        writeFileSync(join(directory, '0000', `${at}.txt`), `${round}\n`)
    }
    return {
      subject: async () => {
        change()
        const startMs = performance.now()
        const options = { exclude: ['.env*', '*.pem', '*.key'], now: new Date(), isCheckpoint: true }
        const snapshot = await takeSnapshot(repo, options)
        await measureChanges(repo, { base_ref: 'main', base_commit: null }, snapshot, new Date())
        return performance.now() - startMs
      },
      floor: async () => {
        change()
        return timeProgram(box, 'git', ['-C', directory, 'status'])
      },
    }
  },
}
