import { expect, test } from 'vitest'
import { fitted, printFindings, problem } from '../../src/doctor/findings.ts'
import type { Output } from '../../src/io/output.ts'

const path = '/home/somebody/with/a/very/long/directory/name/that/does/not/fit/anywhere/config.json'

function printed(columns: number, message: string, remedy: string): string[] {
  const lines: string[] = []
  const out: Output = {
    write: () => {},
    line: (text = '') => void lines.push(text),
    isTerminal: true,
    hasReader: () => true,
    columns,
    paint: (_style, text) => text,
  }
  printFindings(out, [problem('home', message, remedy)])
  return lines
}

test.each([30, 40, 60, 80, 100, 120])('findings fit into %i columns, and lose no text', columns => {
  const lines = printed(columns, `${path} cannot be written by you`, `Run: chown you ${path}`)
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns)
  expect(lines.join('').replace(/\s/g, '')).toBe(
    `problemhome${path}cannotbewrittenbyyou->Run:chownyou${path}`.replace(/\s/g, ''),
  )
})

test('lines break between words', () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve'
  for (const line of printed(60, text, text).slice(1))
    for (const word of line.replace('->', '').trim().split(/\s+/)) expect(text.split(' ')).toContain(word)
})

test('a word that is too long is broken after a slash', () => {
  expect(fitted('see /one/two/three/four/five now', 16)).toEqual(['see', '/one/two/three/', 'four/five now'])
  expect(fitted('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
})

test('a path that fits on a line of its own is not broken', () => {
  expect(printed(100, `${path} is gone`, 'Create it.')).toContain(`  ${path} is gone`)
})
