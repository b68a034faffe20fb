import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/io/markdown.ts'

const page = { columns: 40, paint: (style: string, text: string) => `<${style}>${text}</>` }
const render = (text: string) => renderMarkdown(text, page as never)

test.each([
  ['# Title #', '<bold>Title</>\n'],
  ['- one\n  * two', '• one\n  • two\n'],
  ['1. one\n2) two', '1. one\n2) two\n'],
  ['- [ ] open\n- [x] done', '☐ open\n☑ done\n'],
  ['a `b` **c** __d__', 'a <cyan>b</> <bold>c</> <bold>d</>\n'],
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
  expect(lines.every(line => line.length <= 40)).toBe(true)
  expect(lines[1]).toMatch(/^ {2}word/)
})
