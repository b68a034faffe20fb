import { Command as Commander } from 'commander'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/cli/command.ts'
import { declareCommand } from '../../src/cli/commander.ts'
import { plainInput } from '../../src/cli/fast-args.ts'
import { type Entry, nouns, topLevel } from '../../src/commands/registry.ts'

const commands: [name: string, entry: Entry][] = [
  ...Object.entries(nouns).flatMap(([noun, { verbs }]) =>
    Object.entries(verbs).map(([verb, entry]): [string, Entry] => [`${noun} ${verb}`, entry]),
  ),
  ...Object.entries(topLevel),
]

/** Commander's reading of the same words. Returns null if it refuses them or prints help. */
function readByCommander(command: AnyCommand, entry: Entry, words: readonly string[]): object | null {
  const declared = new Commander('x')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  let input: object | null = null
  const names = (command.arguments ?? []).map(({ name }) => name)
  declareCommand(declared, command, entry).action((...parameters) => {
    const options = parameters[names.length] as object
    input = { ...options, ...Object.fromEntries(names.map((name, index) => [name, parameters[index]])) }
  })
  try {
    declared.parse(words, { from: 'user' })
  } catch {
    return null
  }
  return input
}

/** Right and wrong words as users type them after this command. */
function wordsFor(command: AnyCommand): fc.Arbitrary<string[]> {
  const flags = (command.options ?? []).flatMap(({ flags }) =>
    flags.split(/[ ,]+/).filter(word => word.startsWith('-')),
  )
  const usual = ['a', '3f2a', '.', '-', '--', '', '--help', '-h', '--nope', '-x', 'x y', '--json=1', '-1']
  return fc.array(fc.constantFrom(...flags, ...usual), { maxLength: 6 })
}

describe.each(commands)('agenc %s', (_name, entry) => {
  test('reads simple arguments as commander does, or leaves them to commander', async () => {
    const { default: command } = await entry.load()
    fc.assert(
      fc.property(wordsFor(command), words => {
        const plain = plainInput(command, words)
        if (plain !== null) expect(plain).toEqual(readByCommander(command, entry, words))
      }),
      { numRuns: 150 },
    )
  })
})

test('common arguments are read without commander', async () => {
  const { default: ls } = await nouns.mission!.verbs.ls!.load()
  const { default: create } = await nouns.mission!.verbs.new!.load()
  expect(plainInput(ls, ['--json'])).toEqual({ json: true })
  expect(plainInput(ls, ['-a'])).toEqual({ all: true })
  expect(plainInput(ls, ['--jsn'])).toBeNull()
  expect(plainInput(create, ['o/r', '--no-focus', '--name', 'x'])).toEqual({
    repo: 'o/r',
    focus: false,
    name: 'x',
  })
})
