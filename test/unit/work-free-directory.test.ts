import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemContext, withChanges } from '../../src/context.ts'
import { listEvents } from '../../src/db/events.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { freeDirectory } from '../../src/git-work/free-directory.ts'
import { keptRefs } from '../../src/git-work/mission-repo.ts'
import { pathsAt } from '../../src/paths.ts'
import { addToLibrary, libraryPath } from '../../src/repo/library.ts'
import { createWorkingCopy } from '../../src/repo/working-copy.ts'
import { ownIdentity, systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { aMission } from '../helpers/a-mission.ts'
import { gitBench } from '../helpers/git.ts'

const repo = 'local/src/app'

/** A mission with an uncommitted and an untracked file. */
async function missionWithWork() {
  const bench = gitBench()
  const source = bench.repo('src/app', { 'a.txt': 'one\n' })
  const paths = pathsAt(join(bench.root, 'agenc'))
  const context = withChanges(systemContext(), { env: bench.tools.env, paths })
  await addToLibrary(bench.tools, paths.repos, { id: repo, url: source, fetchUrl: source } as never)
  const db = await openStore(paths.database)
  const mission = aMission({ repo })
  insertMission(db, mission)
  const { root, agent } = paths.mission(mission.id)
  mkdirSync(root, { recursive: true })
  const library = libraryPath(paths.repos, repo)
  await createWorkingCopy({ ...bench.tools, source: library, destination: agent, remoteUrl: source })
  writeFileSync(join(agent, 'a.txt'), 'two\n')
  writeFileSync(join(agent, 'new.txt'), 'new\n')
  const kept = (path: string) =>
    bench.git('.', '--git-dir', library, 'show', `${keptRefs(mission.id).now}:${path}`)
  const now = () => getMission(db, mission.id)!
  return { paths, root, agent, library, kept, now, db, free: () => freeDirectory(context, db, now()) }
}

test('a freed directory is gone, and the library has its last state', async () => {
  const { paths, root, agent, kept, now, db, free } = await missionWithWork()
  await free()
  expect([existsSync(agent), existsSync(root)]).toEqual([false, true])
  expect(readdirSync(paths.missions)).toEqual([now().id])
  expect([kept('a.txt'), kept('new.txt')]).toEqual(['two', 'new'])
  expect(listEvents(db, now().id).map(({ kind }) => kind)).toEqual(['directory-freed'])
  await free()
  expect(listEvents(db, now().id)).toHaveLength(1)
})

test("nothing is deleted if the last state cannot be kept, if the mission runs, or if the directory is the user's", async () => {
  const { agent, library, now, db, free } = await missionWithWork()
  renameSync(library, `${library}-away`)
  await expect(free()).rejects.toThrow('no longer in the library')
  renameSync(`${library}-away`, library)
  const { pid, start } = ownIdentity(systemProbe(systemRunner))
  updateMission(db, now().id, { wrapper_pid: pid, wrapper_start: start })
  await expect(free()).rejects.toThrow('is running')
  updateMission(db, now().id, { wrapper_pid: null, wrapper_start: null, dir: agent })
  await free()
  expect(existsSync(join(agent, 'new.txt'))).toBe(true)
})

test('the remains of a killed deletion are not in the way', async () => {
  const { paths, agent, now, free } = await missionWithWork()
  const remains = join(paths.missions, `.deleted-${now().id}`)
  mkdirSync(remains)
  writeFileSync(join(remains, 'file'), 'x')
  await free()
  expect([existsSync(agent), existsSync(remains)]).toEqual([false, false])
})
