import { expect, test } from 'vitest'
import { parseEvent } from '../../src/claude/stream-events.ts'
import { LineReader } from '../../src/io/line-reader.ts'

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  num_turns: 3,
  duration_ms: 1200,
  total_cost_usd: 0.5,
  usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
}

test('is_error decides whether a turn worked, not the subtype', () => {
  const worked = parseEvent(JSON.stringify(result))
  const failed = parseEvent(JSON.stringify({ ...result, is_error: true }))
  const tokens = { input: 1, output: 2, cache_read: 3, cache_write: 4 }
  const counts = { turns: 3, durationMs: 1200, costUsd: 0.5, tokens }
  expect(worked).toEqual({ kind: 'result', result: { text: 'Done.', isError: false, ...counts } })
  expect(failed).toMatchObject({ result: { isError: true } })
})

test('a result without numbers is still a result, and without is_error it has failed', () => {
  expect(parseEvent('{"type":"result","usage":7,"num_turns":"many"}')).toEqual({
    kind: 'result',
    result: { text: null, isError: true, turns: 0, durationMs: 0, costUsd: null, tokens: null },
  })
})

test('a usage limit counts only when it has stopped Claude', () => {
  const event = (status: string) =>
    parseEvent(
      JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status, resetsAt: 1_794_911_160 } }),
    )
  expect(event('rejected')).toEqual({ kind: 'limit', resetsAt: new Date(1_794_911_160_000) })
  expect(event('allowed_warning')).toBeNull()
})

test.each([
  '',
  'not JSON',
  '{"type":',
  '[]',
  '7',
  '{}',
  '{"type":"rate_limit_event"}',
  '{"type":"assistant"}',
])('passes over %j', line => expect(parseEvent(line)).toBeNull())

function linesOf(chunks: readonly Buffer[], longest?: number): string[] {
  const lines: string[] = []
  const reader = new LineReader(line => lines.push(line), longest)
  for (const chunk of chunks) reader.take(chunk)
  return lines
}

test('lines are put together from their parts, also in the middle of a character', () => {
  const bytes = Buffer.from('erste Zeile\nzwölf\nrest')
  const single = [...bytes].map(byte => Buffer.from([byte]))
  expect(linesOf([bytes])).toEqual(['erste Zeile', 'zwölf'])
  expect(linesOf(single)).toEqual(['erste Zeile', 'zwölf'])
})

test('a line beyond the bound is dropped, and the next one is read', () => {
  const chunks = ['short\n', 'x'.repeat(6), 'y'.repeat(6), '\nafter\n'].map(text => Buffer.from(text))
  expect(linesOf(chunks, 10)).toEqual(['short', 'after'])
})
