import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemContext, withChanges } from '../../src/context.ts'
import { getMission, insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { removeMission } from '../../src/mission/remove.ts'
import { pathsAt } from '../../src/paths.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

async function storedMission() {
  const home = temporaryDirectory()
  const paths = pathsAt(home)
  const context = withChanges(systemContext(), { env: { HOME: home }, paths })
  const db = await openStore(paths.database)
  const mission = aMission()
  insertMission(db, mission)
  const { agent } = paths.mission(mission.id)
  mkdirSync(agent, { recursive: true })
  return {
    trash: join(paths.missions, `.deleted-${mission.id}`),
    remove: (check: () => void) => removeMission(context, db, mission.id, check),
    isStored: () => getMission(db, mission.id) !== undefined,
    hasFiles: () => existsSync(agent),
  }
}

test('a mission is removed with its files, unless the final check refuses', async () => {
  const { remove, isStored, hasFiles, trash } = await storedMission()
  const refuse = () => {
    throw new Error('it is running')
  }
  await expect(remove(refuse)).rejects.toThrow('it is running')
  expect([isStored(), hasFiles()]).toEqual([true, true])
  await remove(() => {})
  expect([isStored(), hasFiles(), existsSync(trash)]).toEqual([false, false, false])
})

test('a mission stays in the store if its files cannot be moved away', async () => {
  const { remove, isStored, hasFiles, trash } = await storedMission()
  writeFileSync(trash, 'in the way')
  await expect(remove(() => {})).rejects.toThrow('ENOTDIR')
  expect([isStored(), hasFiles()]).toEqual([true, true])
})
