import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { missionWithWork, remove, resume } from '../helpers/mission-work.ts'
import { writeProgram } from '../helpers/missions.ts'
import { type RecordsBox, recordsBox } from '../helpers/records.ts'
import { type SmallDisk, smallDisk } from '../helpers/small-disk.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

/** The environment for an agenc that is killed when it starts a git with this word. */
function killedAt({ root, env }: RecordsBox, word: string): NodeJS.ProcessEnv {
  const bin = join(root, 'killing')
  mkdirSync(bin, { recursive: true })
  writeProgram(
    join(bin, 'git'),
    `case " $* " in *" ${word} "*) kill -9 $PPID; exit 1 ;; esac\nPATH='${env.PATH}'\nexec git "$@"`,
  )
  return { ...env, PATH: `${bin}:${env.PATH}` }
}

test('kill -9 at any step of rm and of the rebuilding loses nothing', { timeout: 120_000 }, async () => {
  const box = recordsBox()
  const mission = await missionWithWork(box)
  for (const word of ['commit-tree', 'update-ref', 'rev-list']) {
    const env = killedAt(box, word)
    expect(box.agenc(['mission', 'rm', mission.id, '--yes', '--force'], { env }).exitCode, word).toBe(null)
    expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(box.missions()).toMatchObject([{ id: mission.id }])
  }
  expect(remove(box, mission).exitCode).toBe(0)
  expect(existsSync(mission.dir)).toBe(false)
  for (const word of ['clone', 'fetch', 'symbolic-ref', 'read-tree', 'update-index']) {
    const options = { env: killedAt(box, word), cwd: box.root, columns: 200 }
    const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'resume', mission.id], options)
    await terminal.exited
    await waitFor('the end of the run', () => box.missions()[0]?.status === 'crashed')
    expect(existsSync(mission.dir), word).toBe(false)
  }
  await resume(box, mission.id)
  expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
  expect(readFileSync(join(mission.dir, 'neu er', 'ü.txt'), 'utf8')).toBe('untracked\n')
  expect(existsSync(join(mission.dir, 'b.txt'))).toBe(false)
  const lines: { check: string; message: string }[] = JSON.parse(box.agenc(['doctor', '--json']).stdout)
  expect(lines.filter(({ message }) => message.includes('remains'))).toEqual([])
})

test('on a full disk, rm keeps a mission whose last state cannot be stored', {
  timeout: 60_000,
}, async context => {
  let disk: SmallDisk | undefined
  const box = recordsBox(({ agencHome }) => {
    disk = smallDisk(context, agencHome)
  })
  const mission = await box.create('app')
  disk!.fill()
  expect(box.agenc(['mission', 'rm', mission.id, '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be kept'),
  })
  disk!.free()
  expect(readFileSync(join(mission.dir, 'README.md'), 'utf8')).toBe('hello\n')
  expect(box.missions()).toMatchObject([{ id: mission.id }])
  expect(box.agenc(['mission', 'rm', mission.id, '--yes'])).toMatchObject({ exitCode: 0, stderr: '' })
  await resume(box, mission.id)
  expect(readFileSync(join(mission.dir, 'README.md'), 'utf8')).toBe('hello\n')
})
