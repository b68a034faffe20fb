import { spawn } from 'node:child_process'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive, untilGone } from '../helpers/processes.ts'
import { assertHealthy } from './assert-healthy.ts'
import { type FaultBox, faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'
import { missionIn } from './mission-states.ts'

function edit(box: FaultBox, sql: string, ...values: unknown[]): void {
  const db = new Sqlite(box.database)
  db.prepare(sql).run(...values)
  db.close()
}

/** A process of the user that has nothing to do with agenc. */
function stranger(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

test('the machine restarts, and strangers have the pids of wrapper and Claude', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const subject = await missionIn(box, 'busy', bystander.id)
  const processes = box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid, claude_pid])
  process.kill(box.serverPid(), 'SIGKILL')
  await untilGone(...processes)
  const strangers = [stranger(), stranger()]
  edit(
    box,
    `UPDATE missions SET ended_by = NULL, wrapper_pid = ?, wrapper_start = 'another-boot:1:1', claude_pid = ?,
       claude_start = 'another-boot:1:2', state = 'busy'`,
    ...strangers,
  )
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'crashed'), expected(subject, 'crashed')]),
  })
  expect(strangers.filter(isAlive)).toEqual(strangers)
})
