import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pictures } from '../../scripts/pictures/pictures.ts'
import { parseScreen } from '../../scripts/pictures/screen.ts'
import { screenSvg } from '../../scripts/pictures/svg.ts'
import { systemContext } from '../../src/context.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript, projectRoot, sandbox } from '../helpers/cli.ts'

/** Words as they are read: how tmux and fzf of other versions draw around them does not count. */
function words(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)]
    .flatMap(([, text]) => text!.split(/\s+/))
    .filter(isWord)
}

function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

test("the pictures show what is there now; if not: 'npm run pictures'", async context => {
  const { env } = sandbox()
  if (findProgram('fzf', env) === null) {
    console.log('fzf is not installed: the picture of the switcher cannot be made')
    context.skip('fzf is not installed')
  }
  const made = await pictures({ ...systemContext(), env, self: [process.execPath, agencScript] })
  expect(Object.keys(made)).toEqual(
    ['session', 'switcher', 'waiting', 'how-it-works'].map(name => `docs/pictures/${name}.svg`),
  )
  for (const [path, svg] of Object.entries(made)) {
    expect(words(svg), path).toEqual(words(readFileSync(join(projectRoot, path), 'utf8')))
  }
})

describe('from a screen to a picture', () => {
  const draw = (...lines: string[]) => screenSvg(parseScreen(lines, 10), { title: 't', description: 'd' })

  test('colours of every kind, bold, dim and reverse', () => {
    const [row] = parseScreen(
      ['\u001b[1;31ma\u001b[0;38;5;196mb\u001b[48;2;1;2;3mc\u001b[0;2;7md\u001b[me'],
      6,
    )
    expect(row).toMatchObject([
      { text: 'a', foreground: '#e06c75', isBold: true },
      { text: 'b', foreground: '#ff0000', isBold: false, background: null },
      { text: 'c', foreground: '#ff0000', background: '#010203' },
      { text: 'd', foreground: null, isDim: true, isReverse: true },
      { text: 'e', isDim: false, isReverse: false },
      { text: ' ' },
    ])
  })

  test('a wide character takes two places, and text is escaped', () => {
    expect(parseScreen(['日b'], 4)[0]!.map(({ text }) => text)).toEqual(['日', '', 'b', ' '])
    expect(draw('日<b>&')).toContain(
      'textLength="48" lengthAdjust="spacingAndGlyphs">日&lt;b&gt;&amp;</text>',
    )
  })

  test('lines are drawn, blanks are not, a background is', () => {
    const svg = draw('┌──┐', '', '\u001b[44m  \u001b[0m')
    expect(svg).toContain('<path d="M18.5 43.5H22M18.5 43.5V52')
    expect(svg.match(/<text/g)).toHaveLength(1)
    expect(svg).toContain('width="16" height="18" fill="#61afef"/>')
  })
})
