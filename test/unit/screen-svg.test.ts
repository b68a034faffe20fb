import { expect, test } from 'vitest'
import { parseScreen } from '../../scripts/pictures/screen.ts'
import { screenSvg } from '../../scripts/pictures/screen-svg.ts'

const draw = (...lines: string[]) => screenSvg(parseScreen(lines, 10), { title: 't', description: 'd' })

test('reads every kind of colour, bold, dim and reverse', () => {
  const [row] = parseScreen(['\u001b[1;31ma\u001b[0;38;5;196mb\u001b[48;2;1;2;3mc\u001b[0;2;7md\u001b[me'], 6)
  expect(row).toMatchObject([
    { text: 'a', foreground: '#e06c75', isBold: true },
    { text: 'b', foreground: '#ff0000', isBold: false, background: null },
    { text: 'c', foreground: '#ff0000', background: '#010203' },
    { text: 'd', foreground: null, isDim: true, isReverse: true },
    { text: 'e', isDim: false, isReverse: false },
    { text: ' ' },
  ])
})

test('gives a wide character two columns and escapes text', () => {
  expect(parseScreen(['日b'], 4)[0]!.map(({ text }) => text)).toEqual(['日', '', 'b', ' '])
  expect(draw('日<b>&')).toContain('textLength="48" lengthAdjust="spacingAndGlyphs">日&lt;b&gt;&amp;</text>')
})

test('draws lines as paths and backgrounds as rectangles, but no blank text', () => {
  const svg = draw('┌──┐', '', '\u001b[44m  \u001b[0m')
  expect(svg).toContain('<path d="M18.5 43.5H22M18.5 43.5V52M22 43.5h16')
  const title = 1
  expect(svg.match(/<text/g)).toHaveLength(title)
  expect(svg).toContain('width="16" height="18" fill="#61afef"/>')
})

// Seen in Chromium: with xml:space, or with white-space on a group, "a    b" collapses to "a b" and is stretched.
test('makes browsers keep blanks, so that text is not stretched to its width', () => {
  const svg = draw('a    b')
  expect(svg).toContain('<style>text { white-space: pre }</style>')
  expect(svg).toContain('textLength="48" lengthAdjust="spacingAndGlyphs">a    b</text>')
})
