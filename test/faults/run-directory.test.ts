import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionPaths } from '../../src/paths.ts'
import { waitFor } from '../helpers/wait.ts'
import { assertHealthy } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { expected, say, unprompted } from './faulty-mission.ts'
import { missionIn } from './mission-states.ts'

const faults: Record<string, (paths: MissionPaths) => unknown> = {
  'the FIFO is deleted': ({ wakeup }) => rmSync(wakeup),
  'the FIFO becomes a file': ({ wakeup }) => {
    rmSync(wakeup)
    writeFileSync(wakeup, '')
  },
  'the FIFO becomes a directory': ({ wakeup }) => {
    rmSync(wakeup)
    mkdirSync(join(wakeup, 'full'), { recursive: true })
  },
  'the spool is deleted': ({ events }) => rmSync(events, { recursive: true }),
  'the asks are deleted': ({ asks }) => rmSync(asks, { recursive: true }),
  'a FIFO is planted in the spool': ({ events }) => execFileSync('mkfifo', [join(events, '1')]),
  'a killed hook leaves its FIFO': ({ asks }) => execFileSync('mkfifo', [join(asks, '1')]),
  'the whole run directory is deleted': ({ run }) => rmSync(run, { recursive: true }),
}

/** Hooks may no longer reach the wrapper. Claude's status file still does. */
test('a run directory is damaged: missions go on, their states stay true, and they can be resumed', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const subjects = await Promise.all(
    Object.entries(faults).map(async ([title, inject]) => {
      const subject = await missionIn(box, 'idle', bystander.id)
      inject(box.paths(subject.id))
      return { ...subject, title }
    }),
  )
  const more = 'More. [[text One word.]]'
  for (const { id, window, title } of subjects) {
    await say(box, window, more)
    await waitFor(`the answer after ${title}`, () => box.screen(window).includes('One word.'))
    await box.until(id, 'idle')
  }
  const ids = subjects.map(({ id }) => id)
  expect(box.agenc(['mission', 'stop', ...ids])).toMatchObject({ exitCode: 0 })
  for (const directory of ids.flatMap(id => rejectedOf(box.paths(id).run))) {
    expect(readdirSync(directory)).toEqual(['full'])
    rmSync(directory, { recursive: true })
  }
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      ...subjects.map(subject => expected(subject, 'stopped', more)),
    ]),
  })
})

/** Directories that the wrapper has moved out of the way, because they may hold somebody's work. */
function rejectedOf(run: string): string[] {
  const names = (existsSync(run) ? readdirSync(run) : []).filter(name => name.startsWith('rejected-'))
  return names.map(name => join(run, name))
}
