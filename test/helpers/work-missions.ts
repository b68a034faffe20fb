import { join } from 'node:path'
import { expect } from 'vitest'
import { insertMission, type MissionChange, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { getRepo } from '../../src/db/repos.ts'
import { type MissionId, newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { createWorkingCopy, remotesOf } from '../../src/repo/working-copy.ts'
import { aMission } from './a-mission.ts'
import { type Sandbox, sandbox } from './cli.ts'
import { type GitBench, gitBench, writeBelow } from './git.ts'

/** A mission that never ran, with a real working copy on a branch of its own. */
export interface WorkMission {
  id: MissionId
  branch: string
  directory: string
  /** The same, relative to the sandbox. */
  path: string
  write(files: Record<string, string>): void
  commit(files: Record<string, string>): string
  git(...args: string[]): string
}

export interface WorkBox extends Sandbox {
  bench: GitBench
  add(address: string): string
  /** Runs git in the library's repo. */
  library(repo: string, ...args: string[]): string
  mission(repo: string, name: string, change?: MissionChange): Promise<WorkMission>
}

export function workBox(): WorkBox {
  const box = sandbox()
  const bench = gitBench(box.root, box.env)
  const paths = pathsAt(box.agencHome)
  return {
    ...box,
    bench,
    add(address) {
      const added = box.agenc(['repo', 'add', address, '--no-trust'])
      expect(added).toMatchObject({ exitCode: 0 })
      return added.stdout.trim()
    },
    library: (repo, ...args) => bench.git(join('agenc/repos', repo), ...args),
    async mission(repo, name, change = {}) {
      const id = newMissionId()
      const branch = `agenc/${name}`
      const db = await openStore(paths.database)
      const library = join(paths.repos, repo)
      const remotes = remotesOf(bench.tools, { id: repo, url: getRepo(db, repo)!.url, library })
      const { agent: destination } = paths.mission(id)
      await createWorkingCopy({ ...bench.tools, ...remotes, source: library, destination })
      const path = join('agenc/missions', id, 'agent')
      bench.git(path, 'switch', '--quiet', '--create', branch, '--no-track')
      insertMission(db, aMission({ id, name, repo }))
      const base_ref = bench.git(join('agenc/repos', repo), 'symbolic-ref', '--short', 'HEAD')
      const base_commit =
        bench.git(path, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || null
      updateMission(db, id, { branch, base_ref, base_commit, base_at: new Date().toISOString(), ...change })
      db.close()
      return {
        id,
        branch,
        directory: destination,
        path,
        git: (...args) => bench.git(path, ...args),
        write: files => {
          for (const [file, text] of Object.entries(files)) writeBelow(destination, file, text)
        },
        commit: files => {
          bench.commit(path, files)
          return bench.git(path, 'rev-parse', 'HEAD')
        },
      }
    },
  }
}
