import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readStatusFile } from '../../src/claude/status-file.ts'
import { StatusWatch } from '../../src/claude/status-watch.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

vi.mock(import('../../src/claude/status-file.ts'), { spy: true })

function bench({ hasDirectory = true, needsLooks = (): boolean => true } = {}) {
  const directory = join(temporaryDirectory(), 'sessions')
  if (hasDirectory) mkdirSync(directory)
  const path = join(directory, '1.json')
  const seen: string[] = []
  const watch = new StatusWatch(path, ({ activity }) => void seen.push(activity), needsLooks)
  onTestFinished(() => watch.close())
  const write = (status: string, to = path) =>
    writeFileSync(to, JSON.stringify({ status, statusUpdatedAt: 1 }))
  return {
    directory,
    path,
    watch,
    write,
    seen,
    sees: (status: string) => waitFor(`the status ${status}`, () => seen.at(-1) === status),
  }
}

test('a status file is read when it appears, changes or is replaced', async () => {
  const { path, watch, write, sees } = bench()
  watch.refresh()
  write('idle')
  await sees('idle')
  write('busy')
  await sees('busy')
  write('waiting', `${path}.new`)
  renameSync(`${path}.new`, path)
  await sees('waiting')
  write('idle')
  await sees('idle')
})

test('a file that is half written is ignored', async () => {
  const { path, watch, write, sees, seen } = bench()
  write('idle')
  watch.refresh()
  await sees('idle')
  writeFileSync(path, '{"status":"bu')
  const looks = vi.mocked(readStatusFile).mockClear().mock.results
  await waitFor('the half-written file to be read', () => looks.length > 0)
  expect(new Set(seen)).toEqual(new Set(['idle']))
  write('busy')
  await sees('busy')
})

test('if the directory cannot be watched, it is polled while the mission is active', async () => {
  let isIdle = false
  const { directory, watch, write, sees } = bench({ hasDirectory: false, needsLooks: () => !isIdle })
  watch.refresh()
  mkdirSync(directory)
  write('busy')
  await sees('busy')
  isIdle = true
  write('idle')
  await sees('idle')
})
