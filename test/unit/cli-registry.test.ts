import { Command as Commander } from 'commander'
import { describe, expect, test } from 'vitest'
import { flagNames } from '../../src/cli/command.ts'
import { declareCommand, helpColumns, runCli } from '../../src/cli/commander.ts'
import { topics } from '../../src/cli/help/topics.ts'
import { registry } from '../../src/commands/registry.ts'
import { type Context, systemContext, withChanges } from '../../src/context.ts'
import { allCommands } from '../helpers/registry.ts'

/** These commands hand the terminal to another program, or print only text for people. */
const withoutJson = [
  'config edit',
  'mission _run-wrapper',
  'mission _reap',
  'loop _run',
  'tmux attach',
  'tmux detach',
  'tmux inject-config',
  'tmux kill',
]

describe.each(allCommands)('agenc $words', ({ words, entry }) => {
  test('has a summary, a description and examples that parse', async () => {
    const { default: command } = await entry.load()
    expect(entry.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(command.description ?? `${entry.summary}.`).toMatch(/\.$/)
    expect(command.examples[0]).toContain(`agenc ${words}`)
    for (const example of command.examples) await expectToParse(example)
  })

  test('describes every argument and option, and takes --json if it prints data', async () => {
    const { default: command } = await entry.load()
    for (const { description } of [...(command.arguments ?? []), ...(command.options ?? [])]) {
      expect(description).toMatch(/^[^A-Z\s].*[^.]$/)
    }
    const hasJson = (command.options ?? []).some(({ flags }) => flags === '--json')
    expect(hasJson).toBe(!withoutJson.includes(words))
  })

  test('every name in `completes` is an argument or an option value', async () => {
    const { default: command } = await entry.load()
    const names = [
      ...(command.arguments ?? []).map(({ name }) => name),
      ...(command.options ?? []).map(({ flags }) => /<(.*?)>/.exec(flags)?.[1]),
    ]
    expect(names).toEqual(expect.arrayContaining(Object.keys(entry.completes ?? {})))
  })

  test('the help fits its columns and names every option', async () => {
    const { default: command } = await entry.load()
    const text = await printed([...words.split(' '), '--help'])
    for (const option of command.options ?? [])
      if (!option.hidden) expect(text).toContain(flagNames(option).at(-1))
    expect(text.split('\n').filter(line => line.length > helpColumns)).toEqual([])
  })
})

test.each([[], ...Object.keys(registry.nouns).map(noun => [noun])])(
  'agenc %s --help fits its columns',
  async noun => {
    const text = await printed(noun ? [noun, '--help'] : ['--help'])
    expect(text).toContain(`Usage: agenc ${noun ?? '[options]'}`)
    expect(text.split('\n').filter(line => line.length > helpColumns)).toEqual([])
  },
)

test('agenc --help lists every visible command, every topic and the first steps', async () => {
  const text = await printed(['--help'])
  const names = [...Object.keys(registry.nouns), ...Object.keys(registry.topLevel), ...Object.keys(topics)]
  for (const name of names) expect(text).toMatch(new RegExp(`^  ${name} `, 'm'))
  for (const line of registry.firstSteps) expect(text).toContain(line)
  expect(text).not.toMatch(/^ {2}_/m)
})

/** What `agenc` prints on a wide terminal. */
async function printed(argv: string[]): Promise<string> {
  let text = ''
  const out: Context['out'] = {
    write: part => {
      text += part
    },
    line: (part = '') => {
      text += `${part}\n`
    },
    isTerminal: true,
    hasReader: () => true,
    columns: 200,
    paint: (_style, part) => part,
  }
  expect(await runCli(withChanges(systemContext(), { out }), registry, argv)).toBe(0)
  return text
}

async function expectToParse(example: string): Promise<void> {
  const named = allCommands.find(({ words }) => `${example} `.includes(`agenc ${words} `))
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

/** Splits a simple command line into words, up to a pipe. */
function shellWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const end = words.findIndex(word => /^[|>&]+$/.test(word))
  return words.slice(0, end < 0 ? undefined : end).map(word => word.replace(/^(["'])(.*)\1$/, '$2'))
}
