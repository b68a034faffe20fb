import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { argumentsOf, checkEveryMode, modeArgument, sayHello } from '../helpers/modes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

function modeBox(config: object = {}): SessionBox {
  const box = sessionBox()
  Object.assign(box.env, { IS_SANDBOX: '1' })
  writeFileSync(join(box.home, '.claude', 'settings.json'), '{"skipDangerousModePermissionPrompt":true}')
  configure(box, config)
  return box
}

function configure(box: SessionBox, config: object): void {
  box.agenc(['config', 'set', 'stop.grace_ms', '5000'])
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify(config), { mode: 0o600 })
}

test('Claude starts and resumes in every mode, and Shift+Tab changes the stored one', async () => {
  const box = modeBox()
  const { id: from } = await box.start()
  await checkEveryMode(box, from)
}, 90_000)

test('a mission without its own mode follows changes of the settings', async () => {
  const box = modeBox({ claude: { permission_mode: 'plan' } })
  const { id: from, mission: first } = await box.start()
  const { mission: id } = await box.startFrom(from)
  const started = await sayHello(box, id)
  expect(modeArgument(started)).toBe('plan')
  expect(started).toMatchObject({ permission_mode: 'plan', permission_mode_source: 'config' })
  box.agenc(['mission', 'stop', id])
  configure(box, { claude: { permission_mode: 'acceptEdits' } })
  box.agenc(['mission', 'resume', id], { env: box.inside(from) })
  await box.waitForState(id, 'idle')
  expect(modeArgument(await sayHello(box, id))).toBe('acceptEdits')
  configure(box, {})
  expect(box.mission(id)).toMatchObject({ permission_mode: 'acceptEdits', permission_mode_source: 'claude' })
  expect(box.mission(first)).toMatchObject({ permission_mode: null, permission_mode_source: 'claude' })
})

test('a mission follows the settings again when Shift+Tab comes back to the first mode', async () => {
  const box = modeBox({ claude: { permission_mode: 'default' } })
  const { id: window, mission: id } = await box.start()
  await sayHello(box, id)
  box.tmux('send-keys', '-t', window, 'BTab')
  expect(await sayHello(box, id)).toMatchObject({
    permission_mode: 'acceptEdits',
    permission_mode_source: 'mission',
  })
  for (let press = 0; press < 3; press++) box.tmux('send-keys', '-t', window, 'BTab')
  expect(await sayHello(box, id)).toMatchObject({
    permission_mode: 'default',
    permission_mode_source: 'config',
  })
})

test('allowedTools passes each tool as one argument', async () => {
  const tools = ['Bash(git log --format="%h (%an)" *)', "Bash(echo 'a b')", 'Edit']
  const box = modeBox({ claude: { permission_mode: 'allowedTools', allowed_tools: tools } })
  const { mission } = await box.start()
  const args = argumentsOf(box.mission(mission).claude_pid!)
  const at = args.indexOf('--allowedTools')
  expect(args.slice(at + 1, at + 4)).toEqual(tools)
  expect(modeArgument(box.mission(mission))).toBe('default')
})

describe('mission set', () => {
  test('stores the values, says when they take effect, and applies them at once with --restart', async () => {
    const box = modeBox()
    const { mission: id } = await box.start()
    const started = await sayHello(box, id)
    const set = box.agenc(['mission', 'set', id, '--permission-mode', 'plan', '--model', 'opus', '--json'])
    expect(set.stderr).toContain('--restart')
    expect(JSON.parse(set.stdout)).toMatchObject({
      permission_mode: 'plan',
      permission_mode_source: 'mission',
      model: 'opus',
    })
    expect(await sayHello(box, id)).toMatchObject({ permission_mode: 'plan', claude_pid: started.claude_pid })
    const restarted = box.agenc(['mission', 'set', id, '--approve', 'rules', '--restart'])
    expect(restarted.stderr).toContain('as soon as it is idle')
    await waitFor('another Claude', () => box.mission(id).claude_pid !== started.claude_pid)
    await box.waitForState(id, 'idle')
    const again = await sayHello(box, id)
    expect(modeArgument(again)).toBe('plan')
    expect(again).toMatchObject({ approve: 'rules', session_id: started.session_id })
    expect(box.agencJson(['mission', 'set', id, '--follow', '--approve', 'follow'])).toMatchObject({
      permission_mode: 'plan',
      permission_mode_source: 'claude',
      approve: 'ask',
    })
  })

  test('sets a mode that the next start uses, even after Shift+Tab went through all modes', async () => {
    const box = modeBox({ claude: { permission_mode: 'default' } })
    const { id: from } = await box.start()
    const { id: window, mission: id } = await box.startFrom(from)
    await sayHello(box, id)
    box.agenc(['mission', 'set', id, '--permission-mode', 'plan'])
    box.tmux('send-keys', '-t', window, 'BTab')
    expect(await sayHello(box, id)).toMatchObject({ permission_mode: 'acceptEdits' })
    for (let press = 0; press < 3; press++) box.tmux('send-keys', '-t', window, 'BTab')
    expect(await sayHello(box, id)).toMatchObject({
      permission_mode: 'plan',
      permission_mode_source: 'mission',
    })
    box.agenc(['mission', 'stop', id])
    box.agenc(['mission', 'resume', id, '--no-focus'], { env: box.inside(from) })
    await box.waitForState(id, 'idle')
    expect(modeArgument(box.mission(id))).toBe('plan')
  })

  test('passes on a mode that Claude does not list, with a warning', async () => {
    const box = modeBox()
    const { mission: id } = await box.start()
    const set = box.agenc(['mission', 'set', id, '--permission-mode', 'yolo'])
    expect(set).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('"yolo"') })
    expect(box.mission(id).permission_mode).toBe('yolo')
    for (const listed of ['manual', 'auto-accept', 'allowedTools', 'default'])
      expect(box.agenc(['mission', 'set', id, '--permission-mode', listed]).stderr).not.toContain(
        'unknown mode',
      )
  })

  test.each([
    [[], 'Use --permission-mode'],
    [['--follow', '--permission-mode', 'plan'], 'exclude each other'],
    [['--approve', 'maybe'], 'maybe'],
    [['--permission-mode', ''], 'is empty'],
  ])('refuses %j as bad usage', async (args, words) => {
    const box = modeBox()
    const { mission: id } = await box.start()
    expect(box.agenc(['mission', 'set', id, ...args])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining(words),
    })
  })
})
