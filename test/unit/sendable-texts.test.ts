import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliveredPrompts } from '../../src/claude/delivered-prompts.ts'
import { asReported, knowsSubmitKeys, readyToSend, whyNotSendable } from '../../src/claude/typed-prompt.ts'

test.each([
  ['', 'empty'],
  [' \n\t ', 'empty'],
  ['exit', 'end Claude'],
  ['  :wq!\n', 'end Claude'],
  ['Quit', 'end Claude'],
  ['! rm -rf x', 'shell command'],
  ['\n !ls', 'shell command'],
  ['/clear', 'as a command'],
  ['  /compact now', 'as a command'],
  ['\u200b!ls', 'shell command'],
  ['\u2060 \ufeff/clear', 'as a command'],
  ['ex\u00adit', 'end Claude'],
  ['\u200b\u200d', 'empty'],
  ['a\u001b[201~b', 'control characters'],
  ['a\u0000b', 'control characters'],
  ['a\u0085b', 'control characters'],
  ['a\u202eb', 'direction'],
  ['a\u2066b', 'direction'],
  ['x'.repeat(200_001), 'longer than 200 KB'],
])('%j is not sent', (text, problem) => {
  expect(whyNotSendable(text, false)?.[0]).toContain(problem)
})

test.each([
  'exit the loop',
  '/tmp/foo is full',
  '//x',
  'why!',
  'a\nb\tc',
  'it ends in \\',
  '👩‍💻 and العربية',
  'x'.repeat(200_000),
])('a text that only looks like that is sent: %.20s', text => {
  expect(whyNotSendable(text, false)).toBeNull()
})

test('a /command is sent as one only if the user says so', () => {
  expect(whyNotSendable('/compact now', true)).toBeNull()
  expect(whyNotSendable('compact now', true)?.[0]).toContain('no /command')
  expect(whyNotSendable('!ls', true)).not.toBeNull()
})

test('texts are compared as Claude reports them after a paste', () => {
  expect(asReported(' \ta\r\nb\u2028c\u200bd cafe\u0301\n')).toBe('a\nb\ncd café')
  expect(readyToSend('a\r\nb\rc')).toBe('a\nb\nc')
})

test('the keys that are safe in dialogs are known since 2.1.247', () => {
  expect(['2.1.197', '2.1.246', '2.1.247', '3.0.0', null].map(knowsSubmitKeys)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ])
})

test('the transcript tells what became of a prompt', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'agenc-prompts-')), 't.jsonl')
  const lines: object[] = [
    { type: 'user', message: { role: 'user', content: 'typed' } },
    { type: 'user', isSidechain: true, message: { role: 'user', content: 'to a subagent' } },
    { type: 'queue-operation', operation: 'enqueue', content: 'queued' },
    { type: 'queue-operation', operation: 'dequeue' },
    { type: 'queue-operation', operation: 'popAll', content: 'taken back' },
    { type: 'attachment', attachment: { type: 'queued_command', prompt: 'absorbed' } },
    { type: 'user', message: { content: [{ type: 'text', text: 'in blocks' }] } },
    {
      type: 'user',
      message: {
        content:
          '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args>now</command-args>',
      },
    },
  ]
  lines.push({
    type: 'system',
    subtype: 'local_command',
    content: '<command-name>/cost</command-name>\n<command-args></command-args>',
  })
  const first = `${JSON.stringify(lines[0])}\n`
  writeFileSync(
    path,
    `${lines.map(line => JSON.stringify(line)).join('\n')}\n{"type":"user","message":{"content":"half`,
  )
  expect([...deliveredPrompts(path, 0)].map(({ what, text }) => [what, text])).toEqual([
    ['taken', 'typed'],
    ['queued', 'queued'],
    ['taken-back', 'taken back'],
    ['absorbed', 'absorbed'],
    ['taken', 'in blocks'],
    ['taken', '/compact now'],
    ['taken', '/cost'],
  ])
  expect([...deliveredPrompts(path, first.length)][0]).toMatchObject({ what: 'queued' })
  expect([...deliveredPrompts(path, 0)][0]!.endByte).toBe(first.length)
  expect([...deliveredPrompts('/nowhere', 0)]).toEqual([])
})
