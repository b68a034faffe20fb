import { join } from 'node:path'
import type { MissionRepo } from '../../src/git-work/mission-repo.ts'
import { takeSnapshot } from '../../src/git-work/snapshot.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { writeBelow } from './git.ts'
import { type RecordsBox, recordsBox } from './records.ts'

/** A mission on a repo, with its working copy. Its Claude has ended. */
export interface WorkBox extends RecordsBox {
  id: MissionId
  directory: string
  library: string
  /** Runs git in the mission's directory. */
  git(...args: string[]): string
  write(files: Record<string, string>): void
  /** Records the files as the wrapper does at the end of a turn. */
  endTurn(files?: Record<string, string>): Promise<void>
}

/** The repo has these files in its only commit. */
export async function workBox(files: Record<string, string> = { 'README.md': 'hello\n' }): Promise<WorkBox> {
  const box = recordsBox()
  box.bench.commit('src/app', files)
  box.agenc(['repo', 'update'])
  const { id } = await box.create('local/src/app')
  const directory = join(box.agencHome, 'missions', id, 'agent')
  const library = join(box.agencHome, 'repos', 'local/src/app')
  const repo: MissionRepo = { exec: systemRunner, env: box.env, id: id as MissionId, library, directory }
  const write = (changed: Record<string, string>) => {
    for (const [name, text] of Object.entries(changed)) writeBelow(directory, name, text)
  }
  return {
    ...box,
    id: id as MissionId,
    directory,
    library,
    git: (...args) => box.bench.git(`agenc/missions/${id}/agent`, ...args),
    write,
    endTurn: async (changed = {}) => {
      write(changed)
      await takeSnapshot(repo, { exclude: [], isCheckpoint: true, now: new Date() })
    },
  }
}
