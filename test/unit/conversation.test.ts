import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Conversation } from '../../src/claude/conversation.ts'
import type { ConversationEntry } from '../../src/claude/conversation-entry.ts'
import { provenFirstLine } from '../../src/claude/conversation-index.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'

/** Recorded with Claude Code 2.1.325. */
const recorded = (name: string) => join(projectRoot, 'test', 'corpus', 'conversations', `${name}.jsonl`)

function open(path: string): Conversation {
  const conversation = new Conversation(path)
  onTestFinished(() => conversation.close())
  return conversation
}

function entriesOf(conversation: Conversation): ConversationEntry[] {
  return conversation.lines().flatMap(line => conversation.entries(line))
}

/** `claude tool Bash`, `user message Hello.` */
const shortForm = ({ by, kind, tool, text }: ConversationEntry) =>
  [by, kind, tool, text.replace(/\s+/g, ' ').slice(0, 60).trim()].filter(Boolean).join(' ')
const shown = (path: string) => entriesOf(open(path)).map(shortForm)

function fileOf(text: string): string {
  const path = join(temporaryDirectory(), 'transcript.jsonl')
  writeFileSync(path, text)
  return path
}

type Line = Record<string, unknown>

/** A line as Claude writes it. */
const said = (uuid: string, parentUuid: string | null, type = 'user', extra: Line = {}) =>
  JSON.stringify({
    parentUuid,
    isSidechain: false,
    type,
    message: {
      role: type,
      content: type === 'user' ? `I am ${uuid}.` : [{ type: 'text', text: `I am ${uuid}.` }],
    },
    uuid,
    timestamp: '2026-11-17T18:44:53.935Z',
    ...extra,
  })
const block = (type: 'user' | 'assistant', content: Line[]): Line => ({ message: { role: type, content } })
const use = (id: string) =>
  block('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: id } }])
const result = (id: string, is_error = false) =>
  block('user', [{ type: 'tool_result', tool_use_id: id, content: `result of ${id}`, is_error }])
const file = (...lines: string[]) => fileOf(`${lines.join('\n')}\n`)
const words = (path: string) => entriesOf(open(path)).map(({ text, input }) => text || input?.command)

test('a recorded conversation with queued messages, tools, errors, images, a peer, a rewind and a compaction', () => {
  expect(shown(recorded('whole-day'))).toMatchInlineSnapshot(`
    [
      "user message First. [[text Hello **there**.]]",
      "claude message Hello **there**.",
      "user message Tools. [[text I look.]]+[[bash echo hi]] [[tool Read {"file_",
      "claude message I look.",
      "claude tool Bash",
      "claude tool Read",
      "claude tool_error Read File does not exist. Note: your current working directory is",
      "claude tool Bash",
      "claude tool_error Bash Exit code 3",
      "claude message Looked.",
      "user message Queued in the middle. [[text got it]]",
      "claude message got it",
      "user message Busy again. [[stream 300]] [[text one two three four five si",
      "claude message one two three four five six seven",
      "user message Queued after. [[text after it]]",
      "claude message after it",
      "user message Hang. [[text partial words]]+[[hang]]",
      "claude message partial words",
      "user interruption [Request interrupted by user]",
      "user message Fail. [[error 400 scripted]]",
      "system error API Error: 400 scripted",
      "user command !echo bang",
      "claude message stub: <bash-stdout>bang</bash-stdout><bash-stderr></bash-std",
      "user message Delegate. [[tool Agent {"description":"look","prompt":"Say.",
      "claude tool Agent",
      "claude message Started.",
      "system notification Agent "look" finished",
      "claude message stub: done",
      "user message Busy. [[bash python3 -c "import time; time.sleep(4)"]] [[bas",
      "claude tool Bash",
      "user message Absorbed in the middle.",
      "claude message stub: The user sent a new message while you were working: Ab",
      "user message See @red.png now. [[text Seen.]]",
      "claude message Seen.",
      "user message [image] what is it? [[text A red square.]]",
      "claude message stub: [Image: source: /home/me/project/red.png]",
      "agent message Peer says hi. [[text Hi peer.]]",
      "claude message Hi peer.",
      "user message After rewind. [[text New branch.]]",
      "claude message New branch.",
      "user message Parallel. [[bash echo p1]]+[[bash echo p2 >&2; exit 4]]+[[ba",
      "claude tool Bash",
      "claude tool Bash",
      "claude tool Bash",
      "claude tool_error Bash Exit code 4 p2",
      "claude message Parallel done.",
      "system compaction This session is being continued from a previous conversation",
      "user command /compact",
      "user message After compact. [[text Compacted.]]",
      "claude message Compacted.",
    ]
  `)
})

test('what the user has rewound or summarized is left out, also after a way back to the very beginning', () => {
  expect(shown(recorded('rewound'))).toEqual([
    'user message Root two. [[text two]]',
    'claude message two',
    'system compaction This session is being continued from a previous conversation',
    'user message After summarize. [[text four]]',
    'claude message four',
  ])
})

test('a fork after a compaction begins with the summary, and each copied line counts once', () => {
  expect(shown(recorded('fork'))).toEqual([
    'system compaction This session is being continued from a previous conversation',
    'claude message Parallel done.',
    'user command /compact',
    'user message After compact. [[text Compacted.]]',
    'claude message Compacted.',
    'user message In the fork. [[text Two parts.]]+[[text Second part.]]',
    'claude message Two parts.',
    'claude message Second part.',
  ])
})

test('every entry has all keys', () => {
  for (const entry of entriesOf(open(recorded('whole-day'))))
    expect(Object.keys(entry)).toEqual(['uuid', 'at', 'by', 'kind', 'text', 'tool', 'input'])
})

test('the form of a line does not matter: other keys first, spaces, ids inside of results', () => {
  const root = JSON.stringify({ type: 'user', uuid: 'a', parentUuid: null, message: { content: 'first' } })
  const spaced = `{ "uuid": "b", "type": "user", "parentUuid": "a", "message": { "content": "second" } }`
  const nested = said('c', 'b', 'user', { toolUseResult: { x: 1, uuid: 'z' } })
  expect(words(file(root, spaced, nested, said('d', 'c')))).toEqual(['first', 'second', 'I am c.', 'I am d.'])
})

test('the latest branch counts, even if lines of another process come in between', () => {
  const path = file(
    said('a', null),
    said('b', 'a'),
    said('x', 'a'),
    said('c', 'b'),
    said('y', 'x'),
    said('d', 'c'),
  )
  expect(words(path)).toEqual(['I am a.', 'I am b.', 'I am c.', 'I am d.'])
})

test('lines that are cut off, no JSON, of unknown types or of subagents are passed over', () => {
  const side = said('s', null, 'user', { isSidechain: true })
  const lines = [
    'no json',
    '[]',
    '',
    '{"type":"newfangled","uuid":1}',
    said('a', null),
    side,
    said('t', 's', 'assistant', { isSidechain: true }),
    '{"parentUuid":"a","isSidechain":false,"uuid":"broken',
    '\u0000\u0000',
    said('b', 'a', 'assistant'),
    JSON.stringify({ parentUuid: 'b', isSidechain: false, type: 'progress', uuid: 'p' }),
    said('c', 'p'),
  ]
  const path = fileOf(`${lines.join('\n')}\n${said('d', 'c').slice(0, -20)}`)
  expect(words(path)).toEqual(['I am a.', 'I am b.', 'I am c.'])
})

test('a last line without its newline counts, and only once when the newline comes', () => {
  const path = fileOf(`${said('a', null)}\n${said('b', 'a')}`)
  const conversation = open(path)
  expect(conversation.lines()).toHaveLength(2)
  appendFileSync(path, `\n${said('c', 'b').slice(0, 30)}`)
  expect(conversation.lines()).toHaveLength(2)
  appendFileSync(path, `${said('c', 'b').slice(30)}\n`)
  expect(entriesOf(conversation).map(({ text }) => text)).toEqual(['I am a.', 'I am b.', 'I am c.'])
})

test('a line whose parent is missing continues the line before it', () => {
  expect(words(file(said('a', null), said('b', 'a'), said('c', 'gone'), said('d', 'c')))).toHaveLength(4)
})

test('a summary whose origin comes later, as in a fork, or is missing continues the line before it', () => {
  const boundary = (logicalParentUuid: string) => {
    const { parentUuid: _, ...line } = JSON.parse(said('m', null, 'system')) as Line
    return JSON.stringify({ parentUuid: null, logicalParentUuid, ...line, subtype: 'compact_boundary' })
  }
  const summary = said('n', 'm', 'user', { isCompactSummary: true })
  for (const origin of ['o', 'gone']) {
    const path = file(said('a', null), boundary(origin), summary, said('o', 'n'))
    expect(words(path)).toEqual(['I am a.', 'I am n.', 'I am o.'])
  }
})

test('tools that run at once are all shown, wherever the conversation goes on', () => {
  const lines = [
    said('p', null),
    said('a1', 'p', 'assistant', use('one')),
    said('a2', 'a1', 'assistant', use('two')),
    said('r1', 'a1', 'user', result('one', true)),
    said('r2', 'a2', 'user', result('two', true)),
  ]
  const all = ['I am p.', 'one', 'two', 'result of one', 'result of two']
  expect(words(file(...lines))).toEqual(all)
  expect(words(file(...lines.slice(0, 4)))).toEqual(all.slice(0, 4))
  expect(words(file(...lines, said('n', 'r2', 'assistant')))).toEqual([...all, 'I am n.'])
  expect(words(file(...lines, said('n', 'r1', 'assistant')))).toEqual([...all, 'I am n.'])
  // The user has gone back to before the prompt that Claude answered with these tools.
  expect(
    words(
      file(
        said('o', null),
        ...lines.map(line => line.replace('"parentUuid":null', '"parentUuid":"o"')),
        said('q', 'o'),
      ),
    ),
  ).toEqual(['I am o.', 'I am q.'])
})

test('a conversation that grows: new lines, and a rewind', () => {
  const path = file(said('a', null), said('b', 'a', 'assistant'))
  const conversation = open(path)
  expect(conversation.lines()).toEqual([0, 1])
  appendFileSync(path, `${said('c', 'b')}\n`)
  expect(conversation.lines()).toEqual([0, 1, 2])
  appendFileSync(path, `${said('d', 'a')}\n`)
  expect(conversation.lines()).toEqual([0, 3])
})

test('lines of any length, and more of them than fit into the first tables', () => {
  const long = 'x'.repeat(700_000)
  const lines = [said('u0', null)]
  for (let n = 1; n < 5000; n++) lines.push(said(`u${n}`, `u${n - 1}`))
  lines.push(said('long', 'u4999', 'user', { message: { content: long } }), said('end', 'long'))
  const texts = words(file(...lines))
  expect(texts).toHaveLength(5002)
  expect(texts.slice(-2)).toEqual([long, 'I am end.'])
})

test('messages of others lose their frame; reminders, commands and their output are told apart', () => {
  const prompt = (content: unknown, extra: Line = {}) =>
    said('a', null, 'user', { message: { content }, ...extra })
  const only = (line: string) => entriesOf(open(file(line))).map(shortForm)
  const human = { origin: { kind: 'human' } }
  const typed = { ...human, promptSource: 'typed' }
  expect(only(prompt('<system-reminder>secret</system-reminder>'))).toEqual([])
  expect(only(prompt('Hello.<system-reminder>secret</system-reminder>'))).toEqual(['user message Hello.'])
  expect(only(prompt('Meta.', { isMeta: true }))).toEqual([])
  expect(
    only(
      prompt(
        '<command-message>deploy</command-message><command-name>/deploy</command-name><command-args>now</command-args>',
        human,
      ),
    ),
  ).toEqual(['user command /deploy now'])
  expect(only(prompt('<local-command-stdout>done</local-command-stdout>'))).toEqual([])
  expect(only(prompt('<bash-input>ls</bash-input>'))).toEqual(['user command !ls'])
  expect(only(prompt('<bash-input> is a tag', typed))).toEqual(['user message <bash-input> is a tag'])
  expect(only(prompt('[Request interrupted by user for tool use]'))).toEqual([
    'user interruption [Request interrupted by user for tool use]',
  ])
  expect(only(prompt('Go on.', { origin: { kind: 'auto-continuation' }, isMeta: true }))).toEqual([
    'system message Go on.',
  ])
  const image = { type: 'image', source: { data: 'AAAA' } }
  expect(only(prompt([{ type: 'text', text: 'Two' }, image, image]))).toEqual([
    'user message Two [image] [image]',
  ])
  expect(only(prompt([image], human))).toEqual(['user message [image]'])
  const queued = (origin: Line) => ({ attachment: { type: 'queued_command', prompt: 'Between.', origin } })
  expect(only(said('a', null, 'attachment', queued({ kind: 'peer' })))).toEqual(['agent message Between.'])
  expect(only(said('a', null, 'attachment', queued({ kind: 'human' })))).toEqual(['user message Between.'])
  const thinking = block('assistant', [{ type: 'thinking', thinking: 'Hm.' }])
  expect(only(said('a', null, 'assistant', thinking))).toEqual([])
})

test('the first line is proven only if there is one beginning', () => {
  const firstOf = (text: string) => {
    const descriptor = openSync(fileOf(text), 'r')
    onTestFinished(() => closeSync(descriptor))
    return provenFirstLine(descriptor)?.toString() ?? null
  }
  const [a, b] = [said('a', null), said('b', 'a')]
  const noise = '{"type":"queue-operation","operation":"dequeue"}'
  const side = said('s', null).replace('"isSidechain":false', '"isSidechain":true')
  const compacted = said('m', null, 'system').replace('null,', 'null,"logicalParentUuid":"b",')
  expect(firstOf(`${noise}\n${a}\n${noise}\n${b}\n`)).toBe(a)
  expect(firstOf(`${a}\n${side}\n${b}\n${compacted}\n${said('c', 'm')}`)).toBe(a)
  expect(firstOf(`${a}\n${b}\n${said('c', null)}\n`)).toBeNull()
  expect(firstOf(`${a}\n${b}\n${said('c', null)}`)).toBeNull()
  expect(firstOf(`${a}\n{"uuid":"c","parentUuid":null}\n`)).toBeNull()
  expect(firstOf(readFileSync(recorded('rewound'), 'utf8'))).toBeNull()
  expect(firstOf('')).toBeNull()
})
