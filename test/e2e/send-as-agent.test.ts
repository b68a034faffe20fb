import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Message } from '../../src/db/messages.ts'
import { startHeadless, untilResult } from '../helpers/headless.ts'
import { storeMissions } from '../helpers/missions.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { answer, press, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface Sent {
  outcome: string
  kept: boolean
  reason: string | null
  answer: string | null
}

const taken = { outcome: 'taken', kept: false, reason: null }
const queued = { outcome: 'queued', kept: false, reason: null }

async function tell(box: WrapperBox, mission: string, ...args: string[]): Promise<Sent> {
  const { stdout, stderr } = await box.agencAsync([
    'mission',
    'send',
    mission,
    '--as',
    'agent',
    '--json',
    ...args,
  ])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

interface Heard {
  text: string
  by: 'peer' | 'user'
}

/** What was said to Claude, by whom, as its transcript has it. */
function heard(box: WrapperBox, mission: string): Heard[] {
  const projects = join(box.claudeHome, 'projects')
  if (!existsSync(projects)) return []
  const name = `${box.record(mission).session_id}.jsonl`
  const file = readdirSync(projects, { recursive: true }).find(path => String(path).endsWith(name))
  if (file === undefined) return []
  const lines = readFileSync(join(projects, String(file)), 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines.flatMap((line): Heard[] => {
    const { type, message, attachment, origin } = JSON.parse(line)
    if (type === 'user' && typeof message.content === 'string') {
      const [, text = message.content] =
        /^Another Claude session sent a message:\n([\s\S]*)\n\nThis came/.exec(message.content) ?? []
      return [{ text, by: origin?.kind ?? 'user' }]
    }
    if (attachment?.type !== 'queued_command') return []
    return [{ text: attachment.prompt, by: attachment.origin?.kind ?? 'user' }]
  })
}

function messages(box: WrapperBox): Message[] {
  const db = new Sqlite(join(box.agencHome, 'database.sqlite'), { readonly: true })
  try {
    return db.prepare<[], Message>('SELECT * FROM messages ORDER BY id').all()
  } finally {
    db.close()
  }
}

test('an idle Claude takes any text as a plain message, and a draft stays', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  const parent = (await box.mission('--permission-mode', 'default')).id
  terminal.type('my own draft')
  await terminal.waitForText('my own draft')
  for (const text of ['exit', '/help', '!touch made', 'a last \\']) {
    expect(await tell(box, id, text)).toMatchObject(taken)
    await box.until(id, 'idle')
  }
  const byMission = box.agenc(['mission', 'send', id, '--json', '--wait', 'Go. [[text Gone.]]'], {
    env: { AGENC_MISSION_UUID: parent },
  })
  expect(JSON.parse(byMission.stdout)).toMatchObject({ ...taken, answer: 'Gone.' })
  expect(messages(box).at(-1)).toMatchObject({ sent_as: 'agent', from_id: parent })
  expect(heard(box, id)).toEqual(
    ['exit', '/help', '!touch made', 'a last \\', 'Go. [[text Gone.]]'].map(text => ({ text, by: 'peer' })),
  )
  expect(terminal.screen()).toContain('❯\u00a0my own draft')
  expect(box.agenc(['mission', 'send', id, '--as', 'agent', '--command', '/help'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('another agent cannot give a /command'),
  })
  // The sockets for receipts are gone again.
  expect(
    readdirSync(join(box.env.XDG_RUNTIME_DIR!, 'cc-socks')).filter(name => name.startsWith('agenc-')),
  ).toEqual([])
})

test('an open dialog stays as it is. When it closes, Claude gets 20 messages, some with the same words: none lost, none doubled', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await say(terminal, 'Work. [[bash touch made]] [[text Worked.]]')
  await box.until(id, 'waiting:permission')
  const texts = [
    'exit',
    ...Array.from({ length: 19 }, (_, index) => (index % 4 === 0 ? 'Same.' : `${index}.`)),
  ]
  const sent = await Promise.all(texts.map(text => tell(box, id, text)))
  for (const one of sent) expect(one).toMatchObject(queued)
  const { queued: listed } = box.agencJson<{ queued: { as: string }[] }>(['mission', 'show', id])
  expect(listed.map(({ as }) => as)).toEqual(texts.map(() => 'agent'))
  expect(box.record(id).state).toBe('waiting')
  expect(terminal.screen()).toContain('Do you want')
  await answer(box, id, terminal, '1')
  await waitFor('all to be taken', () => messages(box).every(({ status }) => status === 'taken'))
  const peers = heard(box, id).filter(({ by }) => by === 'peer')
  expect(peers.map(({ text }) => text).sort()).toEqual([...texts].sort())
})

test('/clear takes the messages that wait along into the new conversation', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await say(terminal, 'Talk. [[text Some words.]]+[[hang]]')
  await terminal.waitForText('● Some words.')
  const { session_id } = box.record(id)
  expect(await tell(box, id, 'Over. [[text There.]]')).toMatchObject(queued)
  await say(terminal, '/clear')
  await waitFor('another conversation', () => box.record(id).session_id !== session_id)
  terminal.type('\u001b')
  await waitFor('the message to be taken', () => messages(box)[0]?.status === 'taken')
  expect(heard(box, id).filter(({ by }) => by === 'peer')).toEqual([
    { text: 'Over. [[text There.]]', by: 'peer' },
  ])
})

const once = { text: 'Only once. [[text Once.]]', by: 'peer' }

/** Starts the mission again, and expects that the message was taken once. */
async function resumeAndCount(box: WrapperBox, id: string): Promise<void> {
  box.run(['mission', 'resume', id])
  await waitFor('the message to be taken', () => messages(box)[0]?.status === 'taken')
  await box.ready(id)
  const last = 'Last. [[text Over.]]'
  expect(await tell(box, id, '--wait', last)).toMatchObject({ answer: 'Over.' })
  expect(heard(box, id).filter(({ by }) => by === 'peer')).toEqual([once, { text: last, by: 'peer' }])
}

test('wrapper and Claude are killed while the message is on its way: the next Claude takes it', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await box.turn(id, terminal, 'Hello. [[text Hi.]]')
  const { claude_pid, wrapper_pid } = box.record(id)
  process.kill(claude_pid!, 'SIGSTOP')
  const sending = tell(box, id, '--queue', once.text)
  await waitFor('the message to be on its way', () => messages(box)[0]?.status === 'handed')
  for (const pid of [wrapper_pid!, claude_pid!]) process.kill(pid, 'SIGKILL')
  expect((await sending).outcome).toBe('queued')
  await resumeAndCount(box, id)
})

test('the wrapper is killed before it has seen that Claude took the message: no other Claude gets it', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await say(terminal, 'Work. [[bash touch made]] [[text Worked.]]')
  await box.until(id, 'waiting:permission')
  expect(await tell(box, id, once.text)).toMatchObject(queued)
  const { wrapper_pid } = box.record(id)
  process.kill(wrapper_pid!, 'SIGSTOP')
  await press(terminal, '1', () => heard(box, id).some(({ text }) => text === once.text))
  process.kill(wrapper_pid!, 'SIGKILL')
  await waitFor('the end of the wrapper', () => !isAlive(wrapper_pid!))
  expect(messages(box)[0]?.status).toBe('queued')
  await resumeAndCount(box, id)
})

test('a mission without a terminal knows who has sent a message, too', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'Hello. [[text Hi.]]')
  await untilResult(box, id)
  const sent = await tell(box, id, '--wait', once.text)
  expect(sent).toMatchObject({ ...taken, answer: 'Once.' })
  expect(heard(box, id).at(-1)).toEqual(once)
  box.agenc(['mission', 'stop', id])
})

test('settings that refuse messages of other sessions: not taken, with the reason', async () => {
  const box = wrapperBox()
  writeFileSync(join(box.claudeHome, 'settings.json'), '{"crossSessionInbound":"refuse"}')
  const { id } = await box.mission('--permission-mode', 'default')
  const sent = await tell(box, id, 'Hello.')
  expect(sent).toMatchObject({ outcome: 'not_taken', reason: expect.stringContaining('crossSessionInbound') })
  expect(heard(box, id)).toEqual([])
})

test('a Claude without the socket takes only the word of its user, and an agent with fewer rights cannot speak as the user', async () => {
  const box = wrapperBox()
  // The path of its socket would be too long, so Claude goes on without one.
  box.env.XDG_RUNTIME_DIR = join(box.root, 'long'.repeat(30))
  const { id } = await box.mission('--permission-mode', 'acceptEdits')
  const [parent] = await storeMissions(box, [{ permission_mode: 'plan' }])
  const reason = expect.stringContaining('takes only the word of its user')
  expect(await tell(box, id, 'Hello.')).toMatchObject({ outcome: 'queued', kept: true, reason })
  const { stdout } = box.agenc(['mission', 'send', id, '--json', 'Hello.'], {
    env: { AGENC_MISSION_UUID: parent },
  })
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'not_taken',
    reason: expect.stringContaining('too few rights'),
  })
  expect(heard(box, id)).toEqual([])
})

const shiftTab = '\u001b[Z'

test('a mission that stopped asking for permissions unnoticed: Claude holds the message, and its user decides', async () => {
  const box = wrapperBox()
  box.env.IS_SANDBOX = '1'
  writeFileSync(join(box.claudeHome, 'settings.json'), '{"skipDangerousModePermissionPrompt":true}')
  const { id, terminal } = await box.mission('--permission-mode', 'bypassPermissions')
  await press(terminal, shiftTab, () => terminal.screen().includes('auto mode on'))
  await box.turn(id, terminal, 'Hello. [[text Hi.]]')
  terminal.type(shiftTab.repeat(4))
  await terminal.waitForText('bypass permissions on')
  const held = { outcome: 'queued', kept: false, reason: expect.stringContaining('until its user allows it') }
  expect(await tell(box, id, 'First. [[text One.]]')).toMatchObject(held)
  const isOpen = () => terminal.screen().includes('Held message')
  await waitFor('the dialog', isOpen)
  await press(terminal, '\u001b', () => !isOpen())
  await waitFor('the outcome', () => messages(box)[0]?.status === 'not_taken')
  expect(messages(box)[0]?.reason).toContain('declined')
  expect(await tell(box, id, 'Second. [[text Two.]]')).toMatchObject(held)
  await waitFor('the dialog', isOpen)
  await press(terminal, '\u001b[B', () => terminal.screen().includes('❯ Deliver'))
  terminal.type('\r')
  await waitFor('the outcome', () => messages(box)[1]?.status === 'taken')
  expect(heard(box, id).filter(({ by }) => by === 'peer')).toEqual([
    { text: 'Second. [[text Two.]]', by: 'peer' },
  ])
})
