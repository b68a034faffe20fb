import { expect, test } from 'vitest'
import { isAlive } from '../helpers/processes.ts'
import { promptBox, prompts, screen, startedToSend, type } from '../helpers/sending.ts'
import { waitFor } from '../helpers/wait.ts'

const taken = { outcome: 'taken', kept: false, reason: null, exitCode: 0 }
const queued = { outcome: 'queued', kept: false, reason: null, exitCode: 0 }

test('an idle Claude takes a message exactly, and a draft survives it', async () => {
  const { box, mission, window, say } = await startedToSend()
  const text = 'First "line"; $HOME #{pid} %\n\ttab, café, and a last \\'
  expect(say(text)).toEqual({ ...taken, id: '1', mission_id: mission, answer: null })
  expect(prompts(box, mission)).toEqual([text])
  await box.waitForState(mission, 'idle')

  await type(box, window, 'my own draft')
  expect(say('--wait', 'Now. [[text The answer.]]')).toMatchObject({ ...taken, answer: 'The answer.' })
  expect(prompts(box, mission)).toEqual([text, 'Now. [[text The answer.]]'])
  await waitFor('the draft', () => promptBox(box, window).includes('my own draft'))

  // With a stash and an empty box, Ctrl-S brings the stash into the message.
  box.tmux('send-keys', '-t', window, 'C-s')
  await waitFor('an empty box', () => !promptBox(box, window).includes('draft'))
  const blocked = say('Not with that.')
  expect(blocked).toMatchObject({ outcome: 'not_taken', kept: false, exitCode: 1 })
  expect(blocked.reason).toContain('my own draft')
  await waitFor('both texts', () => promptBox(box, window).includes('my own draftNot with that.'))
  expect(prompts(box, mission)).toHaveLength(2)

  // The user's own Enter passes.
  box.tmux('send-keys', '-t', window, 'Enter')
  await waitFor('the draft to be sent', () => prompts(box, mission).length === 3)

  // A pane that is scrolled back takes keys for itself.
  await box.waitForState(mission, 'idle')
  box.tmux('copy-mode', '-t', window)
  expect(say('--wait', 'While you read. [[text Fine.]]')).toMatchObject({ ...taken, answer: 'Fine.' })
})

test('a busy Claude queues messages, which are taken later: each once, also with the same words', async () => {
  const { box, mission, window, say } = await startedToSend()
  const finals = (...ids: (string | null)[]) => {
    const open = box.mission(mission).queued.map(({ id }) => id)
    return ids.filter(id => !open.includes(id!)).length
  }
  say('Go. [[delay 2500]] [[text One.]]')
  const sent = [say('Same words. [[text a]]'), say('Same words. [[text a]]')]
  for (const one of sent) expect(one).toMatchObject(queued)
  const last = say('--wait', 'Other words. [[text b]]')
  expect(last).toMatchObject({ ...taken, answer: 'b' })
  await waitFor('all to be taken', () => finals(...sent.map(({ id }) => id)) === 2)
  expect(prompts(box, mission)).toEqual([
    'Go. [[delay 2500]] [[text One.]]',
    'Same words. [[text a]]',
    'Same words. [[text a]]',
    'Other words. [[text b]]',
  ])

  say('Go. [[text Some words.]]+[[hang]]')
  await waitFor('the words', () => screen(box, window).includes('Some words.'))
  const back = say('Taken back.')
  expect(back).toMatchObject(queued)
  box.tmux('send-keys', '-t', window, 'Up')
  await waitFor('the message in the box', () => promptBox(box, window).includes('Taken back.'))
  box.tmux('send-keys', '-t', window, 'C-u')
  expect(box.agenc(['mission', 'interrupt', mission])).toMatchObject({ exitCode: 0 })
  expect(box.mission(mission)).toMatchObject({ state: 'idle' })
  expect(box.agenc(['mission', 'interrupt', mission, '--json']).stdout).toContain('"interrupted":false')
  expect(box.agenc(['mission', 'interrupt', mission]).stderr).toContain('has no turn to interrupt')
  await waitFor('the message to be settled', () => finals(back.id) === 1)
  expect(prompts(box, mission)).not.toContain('Taken back.')

  say('Go. [[text Other words.]]+[[hang]]')
  await waitFor('the words', () => screen(box, window).includes('● Other words.'))
  expect(say('Goes out. [[text Out.]]')).toMatchObject(queued)
  expect(box.agenc(['mission', 'interrupt', mission])).toMatchObject({ exitCode: 0 })
  await waitFor('the message to go out', () => prompts(box, mission).includes('Goes out. [[text Out.]]'))
})

test('a mission that waits keeps messages until it can take them, and its dialog is not answered', async () => {
  const { box, mission, say } = await startedToSend()
  say('Work. [[bash touch made]] [[text Worked.]]')
  await box.waitForState(mission, 'waiting')
  const refused = say('Now?')
  expect(refused).toMatchObject({ outcome: 'not_taken', kept: false, exitCode: 1 })
  expect(refused.reason).toContain('waits for an answer (permission)')
  const kept = [
    say('--queue', 'One. [[text 1]]'),
    say('--queue', 'Two.'),
    say('--queue', 'Three. [[text 3]]'),
  ]
  for (const one of kept) expect(one).toMatchObject({ outcome: 'queued', kept: true, exitCode: 0 })
  expect(box.mission(mission).queued.map(({ text }) => text)).toEqual([
    'One. [[text 1]]',
    'Two.',
    'Three. [[text 3]]',
  ])
  expect(box.agenc(['mission', 'show', mission]).stdout).toMatch(/queued +2?\d?: One\./)
  expect(box.agenc(['mission', 'ls']).stdout).toMatch(/QUEUED[\s\S]* 3 /)
  expect(box.agenc(['mission', 'send', '--cancel', kept[1]!.id!])).toMatchObject({ exitCode: 0 })
  expect(box.mission(mission).state).toBe('waiting')

  expect(box.agenc(['mission', 'answer', mission, 'allow'])).toMatchObject({ exitCode: 0 })
  await waitFor('the messages to be taken', () => box.mission(mission).queued.length === 0)
  expect(prompts(box, mission).slice(1)).toEqual(['One. [[text 1]]', 'Three. [[text 3]]'])
  expect(box.agenc(['mission', 'send', '--cancel', kept[0]!.id!]).exitCode).toBe(1)

  await box.waitForState(mission, 'idle')
  box.agenc(['mission', 'stop', mission])
  expect(say('Now?')).toMatchObject({ outcome: 'not_taken', reason: 'it is not running', exitCode: 1 })
  expect(say('--queue', 'Later. [[text Late.]]')).toMatchObject({
    outcome: 'queued',
    kept: true,
    exitCode: 0,
  })
  expect(box.agenc(['mission', 'resume', mission, '--detach'])).toMatchObject({ exitCode: 0 })
  await waitFor('the message to be taken', () => prompts(box, mission).includes('Later. [[text Late.]]'))
  expect(prompts(box, mission).filter(text => text === 'Now?')).toEqual([])
})

test('after kill -9 of everything, a queued message is delivered again only if Claude never took it', async () => {
  const { box, mission, window, say } = await startedToSend()
  const killAll = async () => {
    const { wrapper_pid, claude_pid } = box.mission(mission)
    for (const pid of [wrapper_pid!, claude_pid!]) process.kill(pid, 'SIGKILL')
    await waitFor('their end', () => !isAlive(wrapper_pid!) && !isAlive(claude_pid!))
  }
  const resume = async () => {
    expect(box.agenc(['mission', 'resume', mission, '--detach'])).toMatchObject({ exitCode: 0 })
    await box.waitForState(mission, 'idle')
  }
  say('Go. [[text Some words.]]+[[hang]]')
  await waitFor('the words', () => screen(box, window).includes('Some words.'))
  expect(say('Never taken. [[text Now.]]')).toMatchObject(queued)
  await killAll()
  expect(box.mission(mission).queued).toHaveLength(1)
  await resume()
  await waitFor('the message', () => prompts(box, mission).includes('Never taken. [[text Now.]]'))
  await waitFor('the record of it', () => box.mission(mission).queued.length === 0)

  await box.waitForState(mission, 'idle')
  expect(say('Taken. [[text Here.]]+[[hang]]')).toMatchObject(taken)
  await killAll()
  await resume()
  expect(say('--wait', 'Last. [[text Over.]]')).toMatchObject({ answer: 'Over.' })
  const said = prompts(box, mission)
  expect(said.filter(text => text.startsWith('Never taken.'))).toHaveLength(1)
  expect(said.filter(text => text.startsWith('Taken.'))).toHaveLength(1)
})
