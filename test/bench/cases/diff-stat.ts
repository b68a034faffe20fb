import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timeAgenc, timeProgram } from '../box.ts'
import type { Case } from '../comparison.ts'
import { storeMissions } from '../stored-missions.ts'
import { makeLargeRepo } from './working-copy.ts'

const files = 20_000
const changedFiles = 100

export const diffStat: Case = {
  prepare: async box => {
    const [mission] = await storeMissions(box, 1)
    const { id, repo } = mission!
    const library = join(box.paths.repos, repo!)
    mkdirSync(dirname(library), { recursive: true })
    renameSync(makeLargeRepo(box, files), library)
    const directory = box.paths.mission(id).agent
    rmSync(directory, { recursive: true, force: true })
    execFileSync('git', ['clone', '--quiet', '--local', library, directory], { env: box.env })
    for (let index = 0; index < changedFiles; index++)
      appendFileSync(join(directory, '0000', `${index}.txt`), 'changed\n')
    return {
      subject: async () => timeAgenc(box, ['mission', 'diff', id, '--stat']),
      floor: async () => timeProgram(box, 'git', ['-C', directory, 'diff', '--stat', 'origin/main']),
    }
  },
}
