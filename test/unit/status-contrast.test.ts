import { expect, test } from 'vitest'
import { statusBar } from '../../src/tmux/status-bar.ts'
import { barColour, looks, windowStyle } from '../../src/tmux/status-style.ts'
import { contrast } from '../helpers/contrast.ts'

const readable = 4.5

const options = [
  ...Object.entries(windowStyle),
  ...statusBar([{ key: 'n', word: 'new' }]).map(command => [command.at(-2)!, command.at(-1)!] as const),
]

test('contrast is computed as WCAG does', () => {
  expect(contrast(16, 231)).toBeCloseTo(21)
  expect(contrast(244, 231)).toBeCloseTo(3.95, 2)
  expect(() => contrast(2, 231)).toThrow('theme')
})

test.each(looks)('$word is readable on the bar', ({ colour }) => {
  expect(contrast(colour, barColour)).toBeGreaterThanOrEqual(readable)
})

test.each(options)('%s: every colour is paired with a background that it is readable on', (_, value) => {
  const colours = [...value.matchAll(/\b([fb]g)=(\w+)/g)].map(([, ground, name]) => ({ ground, name: name! }))
  for (const { ground, name } of colours) {
    expect(name).toMatch(/^(colour(\d+)?|default)$/)
    if (ground === 'bg' && name !== 'default') expect(name).toBe(`colour${barColour}`)
    const [, number] = /^colour(\d+)$/.exec(name) ?? []
    if (ground === 'fg' && number)
      expect(contrast(Number(number), barColour)).toBeGreaterThanOrEqual(readable)
  }
  expect(colours.filter(({ ground }) => ground === 'fg')).toHaveLength(
    colours.filter(({ ground }) => ground === 'bg').length,
  )
})
