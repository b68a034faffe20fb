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

/** These commands hand the terminal to another program, or print only text for people. */
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
  if (named === undefined) throw new Error(`${example} names no command`)
  const { words, entry } = named
  const declared = new Commander().exitOverride().configureOutput({ writeErr: () => {} })
  let runs = 0
  declareCommand(declared, (await entry.load()).default, entry).action(() => {
    runs++
  })
  const rest = example.slice(example.indexOf(`agenc ${words}`) + `agenc ${words}`.length)
  declared.parse(shellWords(rest), { from: 'user' })
  expect(runs, example).toBe(1)
}

/** The words of a simple command line, up to a pipe. */
function shellWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const end = words.findIndex(word => /^[|>&]+$/.test(word))
  return words.slice(0, end < 0 ? undefined : end).map(word => word.replace(/^(["'])(.*)\1$/, '$2'))
}
