import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { systemContext, withChanges } from '../../src/context.ts'
import { getMission, insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { rememberKilled } from '../../src/wrapper/restore-missions.ts'
import { aMission } from '../helpers/a-mission.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'

/** Another process that writes to the store for a moment. */
const writer = `
  const db = new (require('better-sqlite3'))(process.argv[1])
  db.exec('BEGIN IMMEDIATE')
  process.stdout.write('writing')
  setTimeout(() => db.exec('COMMIT'), 100)
`

test('tmux kill is remembered even if a mission writes to the store at the same moment', async () => {
  const paths = pathsAt(temporaryDirectory())
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  const id = newMissionId()
  insertMission(db, aMission({ id }))
  const context = withChanges(systemContext(), { paths })
  const child = spawn(process.execPath, ['-e', writer, paths.database], { cwd: projectRoot })
  await once(child.stdout, 'data')
  rememberKilled(context, db, [getMission(db, id)!])
  expect(getMission(db, id)).toMatchObject({ ended_by: 'kill' })
})
