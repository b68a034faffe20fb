import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionRecord } from '../../src/db/missions.ts'
import { spawnAgenc } from '../helpers/cli.ts'
import { loopBox } from '../helpers/loops.ts'
import { waitFor } from '../helpers/wait.ts'

interface Line {
  line: number
  id: string | null
  name: string | null
  outcome: string
  reason: string | null
  result: { text: string; is_error: boolean } | null
}

test('one mission per line, each stopped when its turn is over', async () => {
  const box = loopBox()
  const repo = box.repo()
  const lines = [
    'First. [[text One.]]',
    '',
    JSON.stringify({ prompt: 'Second. [[error 401 no]]', name: 'second', mode: 'acceptEdits' }),
    JSON.stringify({ prompt: 'Third. [[text Three.]]', repo, model: 'opus' }),
  ]
  writeFileSync(join(box.root, 'prompts'), lines.join('\n'))
  const ran = box.agenc(['mission', 'new', '--blank', '--foreach', 'prompts', '--max-running', '2', '--json'])
  expect(ran.exitCode).toBe(1)
  const outcomes: Line[] = JSON.parse(ran.stdout)
  expect(outcomes.map(({ line, name, outcome }) => [line, name, outcome])).toEqual([
    [1, null, 'ok'],
    [3, 'second', 'failed'],
    [4, null, 'ok'],
  ])
  expect(outcomes.map(({ result }) => result?.text)).toEqual(['One.', expect.anything(), 'Three.'])
  const records = outcomes.map(({ id }) => box.record(id!))
  const fields = ({ repo, model, permission_mode, headless, wrapper_pid }: MissionRecord) =>
    [repo, model, permission_mode, headless, wrapper_pid] as const
  expect(records.map(fields)).toEqual([
    [null, null, null, 1, null],
    [null, null, 'acceptEdits', 1, null],
    [repo, 'opus', null, 1, null],
  ])
  const plain = box.agenc(['mission', 'new', '--blank', '--foreach', '-'], {
    input: 'Again. [[text Yes.]]\n',
  })
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(plain.stdout).toMatch(/^[0-9a-f]{8} {2}ok {2}Again\. .*: Yes\.\n$/)
})

test('nothing starts while any line is wrong', async () => {
  const box = loopBox()
  const lines = [
    'Fine.',
    '{"prompt": "x", "colour": "red"}',
    '{"repo": "a/b"}',
    '{"prompt": "x", "repo": "no/where"}',
    '{"prompt": ',
    '{"prompt": "x", "mode": "plan"}',
    '-',
    '{"prompt": " "}',
  ]
  const parsed = box.agenc(['mission', 'new', '--blank', '--foreach', '-'], { input: lines.join('\n') })
  expect(parsed.exitCode).toBe(64)
  expect(parsed.stderr).toContain('5 of 8 lines are wrong, so no mission was started')
  expect(parsed.stderr).toContain('line 2: unknown key "colour"')
  expect(parsed.stderr).toContain('line 3: there is no prompt')
  expect(parsed.stderr).toContain('line 5: not valid JSON')
  expect(parsed.stderr).toContain('line 7: there is no prompt')
  expect(parsed.stderr).toContain('line 8: there is no prompt')
  const well = [lines[0], lines[3], lines[5]].join('\n')
  const checked = box.agenc(['mission', 'new', '--blank', '--foreach', '-'], { input: well })
  expect(checked.stderr).toContain('line 2: ')
  expect(checked.stderr).toContain('line 3: in plan mode')
  const repoless = box.agenc(['mission', 'new', '--foreach', '-'], { input: 'x' })
  expect(repoless.stderr).toContain('line 1: no repo')
  const stray = box.agenc(['mission', 'new', '--blank', '--foreach', '-', '--prompt', 'x'], { input: 'x' })
  expect(stray.stderr).toContain('--foreach and --prompt exclude each other')
  expect(box.agenc(['mission', 'new', '--blank', '--foreach', 'missing']).stderr).toContain(
    'cannot read missing',
  )
  expect(box.records()).toEqual([])
})

test('Ctrl-C starts no more, leaves those that run, and says how to stop them', async () => {
  const box = loopBox()
  writeFileSync(join(box.root, 'prompts'), 'One. [[hang]]\nTwo. [[text 2.]]\nThree. [[text 3.]]\n')
  const child = spawnAgenc(box, ['mission', 'new', '--blank', '--foreach', 'prompts', '--max-running', '1'])
  const { id } = await waitFor('the first one', () => box.records()[0])
  await box.until(id, 'busy')
  child.process.kill('SIGINT')
  const { exitCode, stderr } = await child.ended
  expect(exitCode).toBe(130)
  expect(stderr).toContain(`Stop them with: agenc mission stop ${id.slice(0, 8)}`)
  expect(stderr).toContain('Not started: lines 2, 3.')
  expect(box.records().length).toBe(1)
  expect(box.record(id).state).toBe('busy')
})
