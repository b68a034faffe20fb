import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { writeBelow } from '../helpers/git.ts'
import { tryKill } from '../helpers/processes.ts'
import { type RecordsBox, recordsBox } from '../helpers/records.ts'
import { waitFor } from '../helpers/wait.ts'

/** `local/src/app` with ignored files, of which two are named. */
function includeBox(): RecordsBox & { app: string } {
  const box = recordsBox()
  box.bench.commit('src/app', {
    '.gitignore': '.env\nnode_modules/\nignored\n',
    '.worktreeinclude': '.env\nnode_modules/\n',
  })
  const app = join(box.root, 'src', 'app')
  for (const [name, text] of Object.entries({
    '.env': 'SECRET=1\n',
    'node_modules/a/index.js': 'a\n',
    ignored: 'not named\n',
  }))
    writeBelow(app, name, text)
  return { ...box, app }
}

test('a new mission has the named files before its setup runs, and git sees no change in it', async () => {
  const box = includeBox()
  box.agenc(['repo', 'trust', 'local/src/app'])
  box.agenc(['config', 'set', 'repos.local/src/app.setup', 'cp .env seen-by-setup; rm -r .worktreeinclude'])
  const terminal = box.terminal(['mission', 'new', 'local/src/app'])
  expect(await terminal.exited).toBe(0)
  const [mission] = box.missions()
  const { dir } = mission as MissionJson
  expect(readFileSync(join(dir, 'seen-by-setup'), 'utf8')).toBe('SECRET=1\n')
  expect(readFileSync(join(dir, 'node_modules/a/index.js'), 'utf8')).toBe('a\n')
  expect(existsSync(join(dir, 'ignored'))).toBe(false)
  expect(terminal.raw()).toContain('copying .env, node_modules/ from ')
  expect(terminal.raw()).not.toContain('uncommitted changes')
  expect(box.bench.git(dir.slice(box.root.length), 'status', '--porcelain')).toBe(
    'D .worktreeinclude\n?? seen-by-setup',
  )
})

test('changes of the checkout are left out, and the window says so once', async () => {
  const box = includeBox()
  writeFileSync(join(box.app, 'README.md'), 'changed\n')
  const terminal = box.terminal(['mission', 'new', 'local/src/app'])
  expect(await terminal.exited).toBe(0)
  const [mission] = box.missions()
  expect(readFileSync(join(mission!.dir, 'README.md'), 'utf8')).toBe('hello\n')
  const line = `${box.app} has uncommitted changes; they are not in this mission`
  expect(terminal.raw().split(line)).toHaveLength(2)
  const again = box.terminal(['mission', 'resume', mission!.id])
  expect(await again.exited).toBe(0)
  expect(again.raw()).not.toContain('uncommitted changes')
  expect(again.raw()).not.toContain('copying')
})

test('a checkout that is gone does not keep the mission from starting', async () => {
  const box = includeBox()
  box.agenc(['config', 'set', 'repos.local/src/app.checkout', join(box.root, 'nowhere')])
  const terminal = box.terminal(['mission', 'new', 'local/src/app'])
  expect(await terminal.exited).toBe(0)
  expect(terminal.raw()).toContain(`your checkout of local/src/app is gone: ${box.root}/nowhere`)
  expect(existsSync(join(box.missions()[0]!.dir, '.env'))).toBe(false)
})

test('a directory that comes back from the library gets the files again', async () => {
  const box = includeBox()
  const { id, dir } = await box.create('local/src/app')
  expect(box.agenc(['mission', 'rm', id, '--yes']).exitCode).toBe(0)
  expect(existsSync(dir)).toBe(false)
  writeFileSync(join(box.app, 'README.md'), 'changed\n')
  const terminal = box.terminal(['mission', 'resume', id])
  expect(await terminal.exited).toBe(0)
  await waitFor('the files', () => readFileSync(join(dir, '.env'), 'utf8') === 'SECRET=1\n')
  expect(terminal.raw()).not.toContain('uncommitted changes')
})

test('a working copy that a killed wrapper left without the files gets them at the next start', async () => {
  const box = includeBox()
  writeFileSync(join(box.root, 'slow'), '')
  const path = join(box.root, 'bin')
  writeBelow(
    path,
    'cp',
    `#!/bin/sh\necho $$ >'${box.root}/cp-pid'\n[ -e '${box.root}/slow' ] && exec sleep 1000\nexec /bin/cp "$@"\n`,
  )
  chmodSync(join(path, 'cp'), 0o755)
  const env = { PATH: `${path}:${box.env.PATH}` }
  const terminal = box.terminal(['mission', 'new', 'local/src/app'], { env })
  const copying = await waitFor('the copying', () => Number(readFileSync(join(box.root, 'cp-pid'), 'utf8')))
  onTestFinished(() => tryKill(copying, 'SIGKILL'))
  process.kill(terminal.pid, 'SIGKILL')
  await terminal.exited
  rmSync(join(box.root, 'slow'))
  const [mission] = box.missions()
  expect(existsSync(join(mission!.dir, 'node_modules'))).toBe(false)
  const again = box.terminal(['mission', 'resume', mission!.id], { env })
  expect(await again.exited).toBe(0)
  expect(readFileSync(join(mission!.dir, 'node_modules/a/index.js'), 'utf8')).toBe('a\n')
})
