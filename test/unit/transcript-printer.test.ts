import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Output } from '../../src/io/output.ts'
import { ConversationText } from '../../src/mission/conversation-text.ts'
import { ConversationPrinter, EntryWriter, RawPrinter } from '../../src/mission/transcript-printer.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const line = (uuid: string, parentUuid: string | null, content = `I am ${uuid}.`) =>
  `${JSON.stringify({ parentUuid, isSidechain: false, type: 'user', message: { content }, uuid })}\n`

/** A pipe that remembers what was written, and may lose its reader after some writes. */
function pipe(writesUntilLost = Number.POSITIVE_INFINITY): Output & { taken(): string } {
  let text = ''
  let writes = 0
  const write = (more: string) => {
    writes++
    text += more
  }
  return {
    write,
    line: (more = '') => write(`${more}\n`),
    isTerminal: false,
    columns: 80,
    paint: (_style, shown) => shown,
    hasReader: () => writes < writesUntilLost,
    taken: () => {
      const before = text
      text = ''
      return before
    },
  }
}

function printing(text: string, tail: number | null = null, out = pipe()) {
  const path = join(temporaryDirectory(), 'transcript.jsonl')
  writeFileSync(path, text)
  const writer = new EntryWriter({ out, text: new ConversationText(out, '/nowhere') })
  const printer = new ConversationPrinter(path, writer, () => new Date(0), tail)
  onTestFinished(() => printer.close())
  return {
    out,
    writer,
    /** Prints what the transcript has gained with this text. */
    after: async (added: string) => {
      appendFileSync(path, added)
      await printer.printNew()
      return out.taken()
    },
  }
}

test('each line is printed once, when it is whole, and a rewind is told', async () => {
  const { after } = printing(line('a', null) + line('b', 'a'))
  expect(await after('')).toBe('You:\nI am a.\n\nI am b.\n')
  expect(await after('')).toBe('')
  expect(await after(line('c', 'b').slice(0, 40))).toBe('')
  expect(await after(line('c', 'b').slice(40))).toBe('\nI am c.\n')
  expect(await after(line('d', 'a'))).toMatch(/^\n\(you went back: .*\)\n\nYou:\nI am d\.\n$/)
  expect(await after(line('e', 'd'))).toBe('\nI am e.\n')
})

test('a tail of none prints only what is new', async () => {
  const { after } = printing(line('a', null), 0)
  expect(await after('')).toBe('')
  expect(await after(line('b', 'a'))).toBe('You:\nI am b.\n')
})

const long = 'x'.repeat(50_000)
const large = [
  line('0', null),
  ...Array.from({ length: 100 }, (_, n) => line(`${n + 1}`, `${n}`, long)),
].join('')

test('of a large transcript the first entry is printed alone, and not again', async () => {
  const { after } = printing(large)
  const text = await after('')
  expect(text.split('I am 0.')).toHaveLength(2)
  expect(text.split(long)).toHaveLength(101)
  const { after: afterRewind } = printing(large + line('new', null))
  expect(await afterRewind('')).toBe('You:\nI am new.\n')
})

test('nothing more is printed once the reader is gone', async () => {
  const { after, writer } = printing(large, null, pipe(2))
  await after('')
  expect(writer.count).toBeLessThan(10)
})

test('the lines of a transcript as they are: whole ones, and the newline of the last one only once', async () => {
  const [a, b, c] = [line('a', null), 'no JSON\n', line('c', 'a')]
  const path = join(temporaryDirectory(), 'transcript.jsonl')
  writeFileSync(path, a + b)
  const out = pipe()
  const printer = new RawPrinter(path, out, 1)
  onTestFinished(() => printer.close())
  const after = async (added: string) => {
    appendFileSync(path, added)
    await printer.printNew()
    return out.taken()
  }
  expect(await after('')).toBe(b)
  expect(await after(c.slice(0, 30))).toBe('')
  expect(await after(c.slice(30, -1))).toBe(c)
  expect(await after(`\n${a}`)).toBe(a)
})
