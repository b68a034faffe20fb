import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const directory = (box: WrapperBox, id: string) => join(box.agencHome, 'missions', id, 'agent')

async function talk(box: WrapperBox, id: string, terminal: Terminal, text: string): Promise<void> {
  await box.turn(id, terminal, `Talk. [[text ${text}]]`)
  await terminal.waitForText(text)
}

async function fork(
  box: WrapperBox,
  id: string,
  ...args: string[]
): Promise<{ id: string; terminal: Terminal }> {
  const known = box.records().length
  const terminal = box.run(['mission', 'fork', id, ...args])
  const made = await waitFor('the fork', () => box.records()[known])
  await box.ready(made.id)
  return { id: made.id, terminal }
}

function transcript(box: WrapperBox, sessionId: string): string | undefined {
  const projects = join(box.claudeHome, 'projects')
  const path = readdirSync(projects, { recursive: true, encoding: 'utf8' }).find(name =>
    name.endsWith(`${sessionId}.jsonl`),
  )
  return path && readFileSync(join(projects, path), 'utf8')
}

/** A mission on a repo, with an uncommitted change and an untracked file. */
async function missionWithChanges(box: WrapperBox): Promise<{ id: string; terminal: Terminal }> {
  const source = join(box.root, 'sources', 'app')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'README.md'), 'as it was\n')
  for (const line of ['init -q -b main', 'add .', 'commit -q -m first'])
    execFileSync('git', line.split(' '), { cwd: source, env: box.env, stdio: 'ignore' })
  const repo = box.agenc(['repo', 'add', source, '--trust']).stdout.trim()
  const terminal = box.run(['mission', 'new', repo, '--permission-mode', 'default', '--name', 'original'])
  const { id } = await waitFor('the mission', () => box.records()[0])
  await box.ready(id)
  writeFileSync(join(directory(box, id), 'README.md'), 'changed\n')
  writeFileSync(join(directory(box, id), 'untracked'), 'new\n')
  return { id, terminal }
}

describe('a fork', () => {
  test('copies files and conversation of a running mission, and leaves it as it was', async () => {
    const box = wrapperBox()
    const original = await missionWithChanges(box)
    await talk(box, original.id, original.terminal, 'It is a fine day.')
    const said = transcript(box, original.id)
    const copy = await fork(box, original.id, '--name', 'copy')
    await copy.terminal.waitForText('It is a fine day.')
    expect(readFileSync(join(directory(box, copy.id), 'README.md'), 'utf8')).toBe('changed\n')
    expect(existsSync(join(directory(box, copy.id), 'untracked'))).toBe(true)
    await talk(box, copy.id, copy.terminal, 'But here it rains.')
    writeFileSync(join(directory(box, copy.id), 'README.md'), 'changed again\n')

    expect(box.record(copy.id)).toMatchObject({
      session_id: copy.id,
      session_begun: 1,
      parent_id: original.id,
    })
    expect(transcript(box, copy.id)).toContain('But here it rains.')
    expect(transcript(box, original.id)).toBe(said)
    expect(box.record(original.id)).toMatchObject({
      state: 'idle',
      session_id: original.id,
      name: 'original',
    })
    expect(readFileSync(join(directory(box, original.id), 'README.md'), 'utf8')).toBe('changed\n')
    await talk(box, original.id, original.terminal, 'Still a fine day.')
  })

  test('without a prompt of its own still has the conversation after resume and in another fork', async () => {
    const box = wrapperBox()
    const original = await box.mission('--permission-mode', 'default')
    await talk(box, original.id, original.terminal, 'It is a fine day.')
    const unused = await fork(box, original.id)
    expect(box.record(unused.id)).toMatchObject({ session_begun: 0, forked_session_id: original.id })
    await say(unused.terminal, '/exit')
    expect(await unused.terminal.exited).toBe(0)

    const resumed = box.run(['mission', 'resume', unused.id])
    await resumed.waitForText('It is a fine day.')
    await box.ready(unused.id)
    const second = await fork(box, unused.id)
    await second.terminal.waitForText('It is a fine day.')
    await talk(box, second.id, second.terminal, 'And so it stays.')
    expect(box.record(second.id)).toMatchObject({ session_id: second.id, session_begun: 1 })
  })

  test('of a mission without a conversation begins its own', async () => {
    const box = wrapperBox()
    const original = await box.mission('--permission-mode', 'default')
    const copy = await fork(box, original.id)
    await talk(box, copy.id, copy.terminal, 'Good morning.')
    expect(box.record(copy.id)).toMatchObject({ session_id: copy.id, forked_session_id: null })
  })

  test('that was cleared does not show the original conversation again', async () => {
    const box = wrapperBox()
    const original = await box.mission('--permission-mode', 'default')
    await talk(box, original.id, original.terminal, 'It is a fine day.')
    const copy = await fork(box, original.id)
    await say(copy.terminal, '/clear')
    await waitFor('another session', () => box.record(copy.id).session_id !== copy.id)
    await box.ready(copy.id)
    expect(box.record(copy.id).forked_session_id).toBeNull()
    await say(copy.terminal, '/exit')
    await copy.terminal.exited
    const resumed = box.run(['mission', 'resume', copy.id])
    await box.ready(copy.id)
    expect(resumed.screen()).not.toContain('It is a fine day.')
  })
})
