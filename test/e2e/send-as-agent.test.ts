import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Message } from '../../src/db/messages.ts'
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
  expect(readdirSync(join(box.root, 'run', 'cc-socks')).filter(name => name.startsWith('agenc-'))).toEqual([])
})

test('an open dialog stays as it is, and the message is delivered when it closes', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await say(terminal, 'Work. [[bash touch made]] [[text Worked.]]')
  await box.until(id, 'waiting:permission')
  expect(await tell(box, id, 'exit')).toMatchObject(queued)
  expect(
    box.agencJson<{ queued: { as: string; text: string }[] }>(['mission', 'show', id]).queued,
  ).toMatchObject([{ as: 'agent', text: 'exit' }])
  expect(box.record(id).state).toBe('waiting')
  expect(terminal.screen()).toContain('Do you want')
  await answer(box, id, terminal, '1')
  await waitFor('the message to be taken', () => messages(box)[0]?.status === 'taken')
  expect(heard(box, id).at(-1)).toEqual({ text: 'exit', by: 'peer' })
})

test('of 20 at once, some with the same words, none is lost or doubled', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await say(terminal, 'Work. [[bash touch made]] [[text Worked.]]')
  await box.until(id, 'waiting:permission')
  const texts = Array.from({ length: 20 }, (_, index) =>
    index % 4 === 0 ? 'Same words.' : `Number ${index}.`,
  )
  for (const group of [texts.slice(0, 10), texts.slice(10)]) {
    const sent = await Promise.all(group.map(text => tell(box, id, text)))
    expect(sent.map(({ outcome }) => outcome)).toEqual(group.map(() => 'queued'))
  }
  await answer(box, id, terminal, '1')
  await waitFor('all to be taken', () => messages(box).every(({ status }) => status === 'taken'))
  const peers = heard(box, id).filter(({ by }) => by === 'peer')
  expect(peers.map(({ text }) => text).sort()).toEqual([...texts].sort())
})

test.each(['takes', 'does not take'])(
  'the wrapper dies before Claude has confirmed, and Claude %s the message',
  async what => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await box.turn(id, terminal, 'Hello. [[text Hi.]]')
    const { claude_pid, wrapper_pid } = box.record(id)
    process.kill(claude_pid!, 'SIGSTOP')
    const sending = tell(box, id, '--queue', 'Only once. [[text Once.]]')
    await waitFor('the message to be on its way', () => messages(box)[0]?.status === 'handed')
    await waitFor('its socket', () =>
      readdirSync(join(box.root, 'run', 'cc-socks')).some(name => name.startsWith('agenc-')),
    )
    process.kill(wrapper_pid!, 'SIGKILL')
    const once = { text: 'Only once. [[text Once.]]', by: 'peer' }
    if (what === 'takes') {
      process.kill(claude_pid!, 'SIGCONT')
      await waitFor('Claude to take it', () => heard(box, id).some(({ text }) => text === once.text))
    } else process.kill(claude_pid!, 'SIGKILL')
    await waitFor('the end of the wrapper', () => !isAlive(wrapper_pid!))
    expect((await sending).outcome).toBe('queued')
    box.run(['mission', 'resume', id])
    await waitFor('the message to be taken', () => messages(box)[0]?.status === 'taken')
    await box.ready(id)
    expect(await tell(box, id, '--wait', 'Last. [[text Over.]]')).toMatchObject({ answer: 'Over.' })
    expect(heard(box, id).filter(({ by }) => by === 'peer')).toEqual([
      once,
      { text: 'Last. [[text Over.]]', by: 'peer' },
    ])
  },
)

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
