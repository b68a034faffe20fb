import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { checkout, landingBox, server } from '../helpers/landing.ts'
import { smallDisk } from '../helpers/small-disk.ts'
import { waitFor } from '../helpers/wait.ts'

/** Changes the first file of the repo, and adds many others. */
function many(count: number): Record<string, string> {
  const files = Array.from({ length: count }, (_, index) => [`new/${index}.txt`, `${index}\n`.repeat(3000)])
  return { 'README.md': 'changed\n', ...Object.fromEntries(files) }
}

const mebibyte = 1024 * 1024

test('a full disk in the middle of a pull: no file of it stays, and the next one works', async context => {
  const box = landingBox()
  smallDisk(context, join(box.root, 'small'))
  const [place, ballast] = [join(box.root, 'small/app'), join(box.root, 'small/ballast')]
  box.git('.', 'clone', '--quiet', `ssh://host${join(box.root, server)}`, place)
  const mission = await box.mission()
  mission.work(many(300))
  expect(mission.agenc('pull', '--into', place).exitCode).toBe(0)
  writeFileSync(ballast, Buffer.alloc(13 * mebibyte))
  const refused = mission.agenc('pull', '--into', place, '--merge')
  rmSync(ballast)
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('unable to write file')])
  expect(box.git(place, 'status', '--porcelain')).toBe('')
  expect(readdirSync(place).sort()).toEqual(['.git', 'README.md', 'lib.txt'])
  expect(mission.agenc('pull', '--into', place, '--merge').exitCode).toBe(0)
})

test('a mission on another disk gets the newest base; if that disk is full, nothing of it stays', async context => {
  const box = landingBox()
  smallDisk(context, join(box.agencHome, 'missions'))
  const ballast = join(box.agencHome, 'missions/ballast')
  const mission = await box.mission()
  const head = mission.work({ 'a.txt': 'a\n' })
  box.commit(checkout, many(300))
  box.git(checkout, 'push', '--quiet', 'origin', 'main')
  writeFileSync(ballast, Buffer.alloc(13 * mebibyte))
  const refused = mission.agenc('sync')
  rmSync(ballast)
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('unable to write file')])
  expect(mission.git('rev-parse', 'HEAD')).toBe(head)
  expect(mission.git('status', '--porcelain')).toBe('')
  expect(mission.agenc('sync').exitCode).toBe(0)
  expect(readFileSync(join(mission.directory, 'README.md'), 'utf8')).toBe('changed\n')
})

test('Ctrl-C in the middle of a pull or a sync leaves nothing behind', async () => {
  const box = landingBox({ from: 'checkout', trust: true })
  const [puller, syncer] = [await box.mission({ branch: 'one' }), await box.mission({ branch: 'two' })]
  puller.work({ 'README.md': 'changed\n', 'new/a.txt': 'a\n', 'z.txt': 'z\n' })
  const head = syncer.work({ 'b.txt': 'b\n' })
  const [settings, attributes, reached] = ['home/.gitconfig', 'attributes', 'reached'].map(name =>
    join(box.root, name),
  ) as [string, string, string]
  writeFileSync(attributes, 'z.txt filter=wait\n')
  const waits = `[filter "wait"]\nsmudge = touch ${reached} && exec sleep 1000\n`
  const interrupt = async (...args: string[]) => {
    writeFileSync(settings, `[core]\nattributesFile = ${attributes}\n${waits}`)
    const stdio = 'ignore'
    const child = spawn(process.execPath, [agencScript, ...args], { env: box.env, detached: true, stdio })
    const closed = once(child, 'close')
    await waitFor('git to be in the middle', () => existsSync(reached))
    process.kill(-child.pid!, 'SIGINT')
    const [exitCode] = await closed
    rmSync(settings)
    rmSync(reached)
    return exitCode
  }
  expect(await interrupt('mission', 'pull', puller.id, '--merge')).toBe(130)
  expect(box.git(checkout, 'status', '--porcelain')).toBe('')
  expect(readdirSync(join(box.root, checkout)).sort()).toEqual(['.git', 'README.md', 'lib.txt'])
  expect(puller.agenc('pull', '--merge').exitCode).toBe(0)

  expect(await interrupt('mission', 'sync', syncer.id)).toBe(130)
  expect(syncer.git('rev-parse', 'HEAD')).toBe(head)
  expect(syncer.git('status', '--porcelain')).toBe('')
  expect(syncer.agenc('sync').exitCode).toBe(0)
})

test('finished by several commands at once, a mission is finished', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n' })
  mission.git('push', '--quiet', 'origin', 'HEAD')
  const done = await Promise.all([1, 2, 3].map(() => box.agencAsync(['mission', 'done', mission.id])))
  expect(done.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(3).fill([0, '']))
  expect((await mission.record()).archived_at).not.toBeNull()
})

test('a history that was cut off by a fetch is named, with what to do', async () => {
  const box = landingBox()
  for (const more of ['1', '2']) box.commit(checkout, { more })
  box.git(checkout, 'push', '--quiet', 'origin', 'main')
  const mission = await box.mission()
  mission.git('fetch', '--quiet', '--depth=1', 'origin', 'main')
  mission.git('switch', '--quiet', '--force-create', mission.branch, 'FETCH_HEAD')
  mission.work({ 'a.txt': 'a\n' })
  expect(mission.agenc('push').stderr).toContain(`git -C ${mission.directory} fetch --unshallow`)
  expect(mission.agenc('rm', '--yes').exitCode).toBe(1)
  mission.git('fetch', '--quiet', '--unshallow')
  expect(mission.agenc('push').exitCode).toBe(0)
})

test("settings of the user's own change neither the words of a commit nor the files of a patch", async () => {
  const box = landingBox()
  writeFileSync(
    join(box.env.HOME!, '.gitconfig'),
    '[i18n]\ncommitEncoding = latin1\n[diff]\nignoreSubmodules = all\nrenames = false\n',
  )
  const mission = await box.mission()
  const commit = mission.git('rev-parse', 'HEAD')
  mission.git('update-index', '--add', '--cacheinfo', `160000,${commit},inner`)
  mkdirSync(join(mission.directory, 'inner'))
  mission.git('mv', 'lib.txt', 'moved.txt')
  mission.git('commit', '--quiet', '--message', 'inner')
  const patch = mission.agenc('diff').stdout
  expect(patch).toContain(`+Subproject commit ${commit}`)
  expect(patch).toContain('rename to moved.txt')
  mission.write({ 'README.md': 'grün\n' })
  expect(mission.agenc('push', '--commit', 'Alles grün').exitCode).toBe(0)
  expect(box.git(server, 'log', '-1', '--encoding=UTF-8', '--format=%e|%s', mission.branch)).toBe(
    '|Alles grün',
  )
})
