import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/io/markdown.ts'
import { textWidth } from '../../src/io/text.ts'

const page = { columns: 40, paint: (style: string, text: string) => `<${style}>${text}</>` }
const render = (text: string) => renderMarkdown(text, page)
const renderPlain = (text: string) => renderMarkdown(text, { columns: 40, paint: (_style, shown) => shown })

test.each([
  ['# Title #', '<bold>Title</>\n'],
  ['Title\n=====\ntext', '<bold>Title</>\n\ntext\n'],
  ['## The `code` of **it**', '<bold>The code of it</>\n'],
  ['- one\n  * two', '• one\n  • two\n'],
  ['1. one\n2. two', '1. one\n2. two\n'],
  ['7. seven\n   - below\n8. eight', '7. seven\n   • below\n8. eight\n'],
  ['- one\n\n  more\n- two', '• one\n\n  more\n\n• two\n'],
  ['- [ ] open\n- [x] done', '☐ open\n☑ done\n'],
  ['a `b` **c** __d__ *e*', 'a <cyan>b</> <bold>c d e</>\n'],
  ['> said', '<dim>│ </>said\n'],
  ['```sh\n# no title\n```', '    <cyan># no title</>\n'],
  ['| a | b |', '| a | b |\n'],
  ['plain\u001b]0;title\u0007 text', 'plain text\n'],
])('%j is rendered', (text, shown) => {
  expect(render(text)).toBe(shown)
})

test('long lines are wrapped between words and keep their indentation', () => {
  const lines = render(`- ${'word '.repeat(20)}`)
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.every(line => textWidth(line) <= 40)).toBe(true)
  expect(lines[1]).toMatch(/^ {2}word/)
})

test('a style that spans lines is painted on each of them', () => {
  const lines = render(`**${'word '.repeat(20).trim()}**`)
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatch(/^<bold>.*<\/>$/)
})

test.each([
  ['plain\u001b]0;title\u0007 text', 'plain text\n'],
  ['`\u001b[2J` x', '`` x\n'],
  ['a &#27;[2J b&#7;', 'a b\n'],
  ['[a](b\u001b[2Jc)', 'a (bc)\n'],
])('control characters in %j do not reach the terminal', (text, shown) => {
  expect(renderPlain(text)).toBe(shown)
})

test('nothing that moves a cursor is left in any text', () => {
  const parts = fc.constantFrom(
    '\u001b[2J',
    '\u0007',
    '\u009b',
    '&#27;',
    '`',
    '**',
    '# ',
    '- ',
    '> ',
    '\n',
    'a ',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(parts, fc.string({ maxLength: 8 }))), texts => {
      expect(renderPlain(texts.join(''))).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
      )
    }),
  )
})

test('a text that is nested too deeply for the parser is shown as it is', () => {
  const text = '>'.repeat(20_000)
  expect(renderPlain(text)).toBe(`${text}\n`)
})
