import { Command as Commander } from 'commander'
import { describe, expect, test } from 'vitest'
import { declareCommand } from '../../src/cli/commander.ts'
import { type Entry, nouns, topLevel } from '../../src/commands/registry.ts'

interface Named {
  words: string
  entry: Entry
}

const commands: Named[] = [
  ...Object.entries(nouns).flatMap(([noun, { verbs }]) =>
    Object.entries(verbs).map(([verb, entry]) => ({ words: `${noun} ${verb}`, entry })),
  ),
  ...Object.entries(topLevel).map(([words, entry]) => ({ words, entry })),
]

/** They hand the terminal over to somebody else, or print nothing but words for people. */
const withoutJson = [
  'config edit',
  'mission _run-wrapper',
  'mission _reap',
  'tmux attach',
  'tmux detach',
  'tmux inject-config',
  'tmux kill',
]

describe.each(commands)('agenc $words', ({ words, entry }) => {
  test('has a summary, a description and examples that it can parse', async () => {
    const { default: command } = await entry.load()
    expect(entry.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(command.description ?? `${entry.summary}.`).toMatch(/\.$/)
    expect(command.examples[0]).toContain(`agenc ${words}`)
    for (const example of command.examples) await expectToParse(example)
  })

  test('describes everything it takes, and prints JSON where it prints data', async () => {
    const { default: command } = await entry.load()
    for (const { description } of [...(command.arguments ?? []), ...(command.options ?? [])]) {
      expect(description).toMatch(/^[^A-Z\s].*[^.]$/)
    }
    const hasJson = (command.options ?? []).some(({ flags }) => flags === '--json')
    expect(hasJson || withoutJson.includes(words)).toBe(true)
  })
})

async function expectToParse(example: string): Promise<void> {
  const named = commands.find(({ words }) => `${example} `.includes(`agenc ${words} `))
  expect(named, `${example}: no such command`).toBeDefined()
  const { words, entry } = named!
  const declared = new Commander().exitOverride().configureOutput({ writeErr: () => {} })
  declareCommand(declared, (await entry.load()).default, entry).action(() => {})
  const rest = example.slice(example.indexOf(`agenc ${words}`) + `agenc ${words}`.length)
  expect(() => declared.parse(shellWords(rest), { from: 'user' }), example).not.toThrow()
}

/** The words of a simple command line, up to a pipe. */
function shellWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const end = words.findIndex(word => /^[|>&]+$/.test(word))
  return words.slice(0, end < 0 ? undefined : end).map(word => word.replace(/^(["'])(.*)\1$/, '$2'))
}
