import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insertRequest } from '../../src/db/approvals.ts'
import { updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { agencScript } from '../helpers/cli.ts'
import { newMission, runningMission, useIdleClaude } from '../helpers/missions.ts'
import { recordsBox, storeMissions } from '../helpers/records.ts'
import { openTerminal } from '../helpers/terminal.ts'

type Box = ReturnType<typeof recordsBox>

/** What a command prints on a terminal. */
async function shown(box: Box, ...args: string[]): Promise<string> {
  const terminal = box.terminal(args)
  expect(await terminal.exited, terminal.screen()).toBe(0)
  return terminal.screen()
}

test('archive, unarchive, rename and rm say on a terminal what they did', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['fix login'])
  const short = id!.slice(0, 8)
  expect(await shown(box, 'mission', 'archive', short)).toBe(`Archived ${short} fix login.`)
  expect(await shown(box, 'mission', 'archive', short)).toBe(`Already archived: ${short} fix login.`)
  expect(await shown(box, 'mission', 'unarchive', short)).toBe(`Brought back ${short} fix login.`)
  expect(await shown(box, 'mission', 'rename', short, 'fix it')).toBe(
    `Renamed ${short} from "fix login" to "fix it".`,
  )
  expect(await shown(box, 'mission', 'rename', short, '')).toBe(`${short} has no name now.`)
  expect(await shown(box, 'mission', 'rename', short, 'again')).toBe(`Renamed ${short} to "again".`)
  expect(await shown(box, 'mission', 'rm', short, '--yes')).toBe(`Deleted ${short} again.`)
})

test('many missions still take one line', async () => {
  const box = recordsBox()
  const ids = await storeMissions(box, ['a', 'b', 'c', 'd', 'e'])
  const [a, b, c] = ids.map(id => id.slice(0, 8))
  expect(await shown(box, 'mission', 'archive', ...ids)).toBe(`Archived ${a} a, ${b} b, ${c} c, and 2 more.`)
})

test('stop says what it stopped', async () => {
  const box = recordsBox()
  expect(await shown(box, 'stop', '--all')).toBe('No mission is running.')
  useIdleClaude(box)
  openTerminal(process.execPath, newMission, { env: box.env, cwd: box.root })
  const { short_id } = await runningMission(box)
  expect(await shown(box, 'stop', short_id)).toMatch(`Stopped ${short_id} (blank).`)
  expect(await shown(box, 'stop', short_id)).toBe(`${short_id} was not running.`)
})

test('with --quiet, or in a pipe, nothing is said', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['one'])
  for (const args of [
    ['archive', id!],
    ['unarchive', id!],
    ['rename', id!, 'two'],
    ['rm', id!, '--yes'],
  ]) {
    const silent = { exitCode: 0, stdout: '', stderr: '' }
    if (args[0] !== 'rm') expect(await shown(box, 'mission', ...args, '--quiet')).toBe('')
    expect(box.agenc(['mission', ...args])).toEqual(silent)
  }
})

test('show prints local times with their age, and paths relative to the mission', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['one'])
  const dir = join(box.agencHome, 'missions', id!, 'agent')
  const at = new Date(Date.now() - 5 * 60_000 - 1000).toISOString()
  const db = await openStore(join(box.agencHome, 'database.sqlite'))
  const { pid, start } = systemProbe(systemRunner).identify(process.pid)!
  updateMission(db, id!, { wrapper_pid: pid, wrapper_start: start, state: 'waiting', last_active_at: at })
  insertRequest(db, { mission_id: id!, at, tool: 'Write', input: { file_path: `${dir}/src/a.ts` } })
  db.close()
  const env = { TZ: 'America/Lima' }
  const { stdout } = box.agenc(['mission', 'show', id!], { env })
  // Lima is five hours behind UTC, all year.
  const local = new Date(Date.parse(at) - 5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  expect(stdout).toMatch(new RegExp(`^active +${local} \\(5m ago\\)$`, 'm'))
  expect(stdout).toMatch(/^created +2025-12-31 19:00:00 \(\d+d ago\)$/m)
  expect(stdout).toMatch(new RegExp(`^pending +1: Write src/a\\.ts, since ${local} \\(5m ago\\)$`, 'm'))
  expect(box.agenc(['approvals', 'ls']).stdout).toMatch(/ Write +src\/a\.ts$/m)
  expect(box.agencJson(['mission', 'show', id!])).toMatchObject({
    last_active_at: at,
    pending: [{ input: { file_path: `${dir}/src/a.ts` } }],
  })
})

test('repo rm says how many missions it does not list', async () => {
  const box = recordsBox()
  await storeMissions(
    box,
    Array.from({ length: 10 }, (_, index) => `m${index}`),
  )
  const { stderr } = box.agenc(['repo', 'rm', 'app', '--yes'])
  expect(stderr).toContain('10 missions are on local/src/app')
  expect(stderr.trimEnd().split('\n').at(-1)).toBe('  … and 2 more')
})

test('a line that cannot be written does not undo what was done', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['one'])
  const script = '"$0" "$1" mission archive "$2" 2>&-'
  const done = spawnSync('sh', ['-c', script, process.execPath, agencScript, id!], { env: box.env })
  expect(done.status).toBe(0)
  expect(box.missions()).toEqual([])
})
