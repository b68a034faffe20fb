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
    rubbish: join(paths.missions, `.deleted-${mission.id}`),
    remove: (check: () => void) => removeMission(context, db, mission.id, check),
    isStored: () => getMission(db, mission.id) !== undefined,
    hasFiles: () => existsSync(agent),
  }
}

test('a mission is removed with its files, unless the last check refuses', async () => {
  const { remove, isStored, hasFiles, rubbish } = await storedMission()
  const refuse = () => {
    throw new Error('it runs')
  }
  await expect(remove(refuse)).rejects.toThrow('it runs')
  expect([isStored(), hasFiles()]).toEqual([true, true])
  await remove(() => {})
  expect([isStored(), hasFiles(), existsSync(rubbish)]).toEqual([false, false, false])
})

test('what cannot be moved out of sight stays in the store', async () => {
  const { remove, isStored, hasFiles, rubbish } = await storedMission()
  writeFileSync(rubbish, 'in the way')
  await expect(remove(() => {})).rejects.toThrow('ENOTDIR')
  expect([isStored(), hasFiles()]).toEqual([true, true])
})
