import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { gitIn, inLibrary, kept, library, missionWithWork, remove, resume } from '../helpers/mission-work.ts'
import { markOfEndedProcess } from '../helpers/processes.ts'
import { expectUsageError, type RecordsBox, recordsBox } from '../helpers/records.ts'

describe('rm --purge', () => {
  const transcriptOf = (box: RecordsBox, { dir }: MissionJson, session: string) => {
    const project = join(box.home, '.claude', 'projects', dir.replace(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(join(project, session), { recursive: true })
    writeFileSync(join(project, `${session}.jsonl`), '{"type":"user"}\n')
    return join(project, `${session}.jsonl`)
  }

  test('deletes checkpoints, conversation and record for good', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box)
    const other = await box.create('app')
    const own = transcriptOf(box, mission, mission.id)
    const others = transcriptOf(box, mission, other.id)
    const commit = gitIn(box, mission)('rev-parse', 'HEAD')
    remove(box, mission)
    const refused = box.agenc(['mission', 'rm', mission.id, '--purge', '--yes'])
    expect(refused).toMatchObject({ exitCode: 1 })
    expect(refused.stderr).toMatch(
      /only here\n {2}uncommitted changes\n {2}2 unpushed commits on feature\/x\n/,
    )
    expect(kept(box)).not.toEqual([])
    expectUsageError(box.agenc(['mission', 'rm', mission.id, '--purge', '--force']), /confirmation/)
    expect(box.agencJson(['mission', 'rm', mission.id, '--purge', '--yes', '--force'])).toEqual([
      { id: mission.id, removed: true },
    ])
    expect(kept(box)).toEqual([])
    expect(() => inLibrary(box, 'cat-file', '-e', commit)).toThrow()
    expect([existsSync(own), existsSync(own.slice(0, -'.jsonl'.length))]).toEqual([false, false])
    expect(existsSync(others)).toBe(true)
    expect(await resume(box, mission.id)).toContain('no mission')
    expect(box.missions('-a').map(({ id }) => id)).toEqual([other.id])
  })

  test('works on missions that were not deleted before, blank ones too', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const [mission, blank] = [await box.create('app'), await box.create('--blank')]
    const own = transcriptOf(box, blank, blank.id)
    expect(box.agenc(['mission', 'rm', mission.id, blank.id, '--purge', '--yes'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
    expect(existsSync(own)).toBe(false)
    expect(kept(box)).toEqual([])
    expect(readdirSync(join(box.agencHome, 'missions'))).toEqual([])
  })
})

describe('doctor', () => {
  // Its exit code is about Claude, which is not logged in here.
  const findings = (box: RecordsBox): { check: string; status: string; message: string }[] =>
    JSON.parse(box.agenc(['doctor', '--json']).stdout)
  const leftovers = (box: RecordsBox) => findings(box).filter(({ check }) => check === 'leftovers')

  test('finds nothing wrong with deleted missions, and says how much disk is used', {
    timeout: 60_000,
  }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box)
    remove(box, mission)
    expect(leftovers(box)).toMatchObject([{ status: 'ok' }])
    const [disk] = findings(box).filter(({ check }) => check === 'disk')
    expect(disk).toMatchObject({ status: 'ok' })
    expect(disk!.message).toMatch(/^the library uses [\d.]+ kB, missions [\d.]+ k?B$/)
  })

  test('brings back what only the library still knows after the store was lost', {
    timeout: 60_000,
  }, async () => {
    const box = recordsBox()
    const [mission, other] = [await missionWithWork(box), await missionWithWork(box)]
    for (const one of [mission, other]) remove(box, one)
    const db = new Sqlite(join(box.agencHome, 'database.sqlite'))
    db.prepare('DELETE FROM missions').run()
    db.close()
    expect(leftovers(box).filter(({ message }) => message.includes(mission.short_id))).toMatchObject([
      { status: 'warning', message: expect.stringContaining('the store does not know') },
    ])
    expect(box.agenc(['doctor', '--fix']).stderr).toContain(`added mission ${mission.short_id}`)
    expect(leftovers(box)).toMatchObject([{ status: 'ok' }])
    expect(box.missions('-a')).toEqual([])
    await resume(box, mission.id)
    expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(gitIn(box, mission)('symbolic-ref', 'HEAD')).toBe('refs/heads/feature/x')

    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(box.agencHome, `database.sqlite${suffix}`), { force: true })
    expect(box.agenc(['doctor', '--fix']).stderr).toContain('rebuilt the store')
    expect(box.missions('-a').map(({ id }) => id)).toEqual([mission.id])
    await resume(box, other.id)
    expect(readFileSync(join(other.dir, 'a.txt'), 'utf8')).toBe('changed\n')
  })

  test('names what an interrupted snapshot or copy left behind', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await box.create('app')
    const root = join(mission.dir, '..')
    const left = [root, library(box)].map(path => join(path, `.unfinished-${markOfEndedProcess()}x`))
    for (const path of left) mkdirSync(path)
    expect(leftovers(box)).toHaveLength(2)
    box.agenc(['doctor', '--fix'])
    expect([...left, mission.dir].map(existsSync)).toEqual([false, false, true])
  })
})
