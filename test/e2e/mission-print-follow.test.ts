import { spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { ConversationEntry } from '../../src/claude/conversation-entry.ts'
import { agencScript } from '../helpers/cli.ts'
import { startHeadless, untilResult } from '../helpers/headless.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface Follow {
  pid: number
  output(): string
  entries(): ConversationEntry[]
  until(text: string): Promise<void>
  closeOutput(): void
  exited: Promise<number | null>
}

/** Starts `mission print --follow` with its output in a pipe. */
function follow(box: WrapperBox, id: string, ...args: string[]): Follow {
  const child = spawn(process.execPath, [agencScript, 'mission', 'print', id, '--follow', ...args], {
    env: box.env,
    cwd: box.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  const exited = new Promise<number | null>(resolve => child.on('close', resolve))
  return {
    pid: child.pid!,
    output: () => output,
    entries: () =>
      output
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    until: async text => {
      await waitFor(`${text} in what is followed`, () => output.includes(text)).catch(error => {
        throw new Error(`${error.message}\n${output}`)
      })
    },
    closeOutput: () => void child.stdout.destroy(),
    exited,
  }
}

test('a followed conversation grows, is replaced by /clear, and ends with its mission', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  const early = follow(box, id)
  const entries = follow(box, id, '--json')
  await box.turn(id, terminal, 'Hello. [[text Hi **there**.]]')
  await early.until('You:\nHello. [[text Hi **there**.]]\n\nClaude:\nHi **there**.\n')
  const late = follow(box, id, '--tail', '0')
  const raw = follow(box, id, '--raw', '--tail', '1')
  await raw.until('\n')
  const interrupted = box.run(['mission', 'print', id, '--follow'])
  await interrupted.waitForText('Hi there.')
  await box.turn(id, terminal, 'Again. [[text Second.]]')
  await interrupted.waitForText('Second.')
  interrupted.type('\u0003')
  expect(await interrupted.exited).toBe(130)
  await box.turn(id, terminal, '/clear')
  await box.turn(id, terminal, 'New. [[text Fresh.]]')
  await early.until('(a new conversation)\n\nYou:\nNew.')
  await entries.until('Fresh.')
  expect(box.agenc(['mission', 'stop', id])).toMatchObject({ exitCode: 0 })
  expect(await Promise.all([early, late, raw, entries].map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
  expect(late.output()).toMatch(
    /^You:\nAgain\. .*\n\nClaude:\nSecond\.\n\n\(a new conversation\)\n\nYou:\nNew\./,
  )
  expect(
    raw
      .output()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
      .at(-1),
  ).toHaveProperty('type')
  expect(entries.entries().map(({ by, kind }) => `${by} ${kind}`)).toEqual([
    'user message',
    'claude message',
    'user message',
    'claude message',
    'system conversation',
    'user message',
    'claude message',
  ])
})

test('a killed wrapper ends what follows it, and so does a reader that is gone', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  await box.turn(id, terminal, 'Hello. [[text Hi.]]')
  const left = follow(box, id)
  const followed = follow(box, id)
  await left.until('Hi.')
  await followed.until('Hi.')
  // No hook tells of lines that Claude writes after the end of its turn.
  const late = { parentUuid: 'unknown', type: 'user', message: { content: 'Late words.' }, uuid: 'late' }
  appendFileSync(box.record(id).transcript_path!, `${JSON.stringify(late)}\n`)
  await followed.until('Late words.')
  left.closeOutput()
  await box.turn(id, terminal, 'Again. [[text Second.]]')
  await waitFor('the follower without a reader to end', () => !isAlive(left.pid))
  await followed.until('Second.')
  process.kill(box.record(id).wrapper_pid!, 'SIGKILL')
  expect(await followed.exited).toBe(0)
})

test('a transcript that is replaced or cut is followed on, and nothing is printed twice', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'Hello. [[text Hi.]]')
  await untilResult(box, id)
  const transcript = box.record(id).transcript_path!
  const followed = follow(box, id, '--json')
  const raw = follow(box, id, '--raw')
  await followed.until('"Hi."')
  await raw.until('Hi.')
  const said = readFileSync(transcript, 'utf8')
    .split('\n')
    .filter(line => line.includes('"Hi."'))
  const last = JSON.parse(said[0]!)
  const later = (text: string, parentUuid: string | null) =>
    `${JSON.stringify({ ...last, parentUuid, uuid: text, message: { ...last.message, content: [{ type: 'text', text }] } })}\n`
  copyFileSync(transcript, `${transcript}.new`)
  appendFileSync(`${transcript}.new`, later('Replaced.', last.uuid))
  renameSync(`${transcript}.new`, transcript)
  await followed.until('"Replaced."')
  appendFileSync(transcript, later('Grown.', 'Replaced.'))
  await followed.until('"Grown."')
  writeFileSync(transcript, later('Cut.', null))
  await followed.until('"Cut."')
  await raw.until('"Cut."')
  box.agenc(['mission', 'stop', id])
  expect(followed.entries().map(({ kind, text }) => [kind, text])).toEqual([
    ['message', 'Hello. [[text Hi.]]'],
    ['message', 'Hi.'],
    ['message', 'Replaced.'],
    ['message', 'Grown.'],
    ['conversation', ''],
    ['message', 'Cut.'],
  ])
})
