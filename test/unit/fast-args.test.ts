import { Command as Commander } from 'commander'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyCommand, Entry } from '../../src/cli/command.ts'
import { declareCommand, inputOf } from '../../src/cli/commander.ts'
import { fastInput } from '../../src/cli/fast-args.ts'
import { registry } from '../../src/commands/registry.ts'
import { allCommands } from '../helpers/registry.ts'

/** What commander makes of the same words. Returns null if it refuses them or prints help. */
function byCommander(command: AnyCommand, entry: Entry, words: readonly string[]): object | null {
  const declared = new Commander('x')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  let input: object | null = null
  declareCommand(declared, command, entry).action((...parameters) => {
    input = inputOf(command, parameters)
  })
  try {
    declared.parse(words, { from: 'user' })
  } catch {
    return null
  }
  return input
}

/** Lists of words that a user might type after this command, valid or not. */
function wordsFor(command: AnyCommand): fc.Arbitrary<string[]> {
  const flags = (command.options ?? []).flatMap(({ flags }) =>
    flags.split(/[ ,]+/).filter(word => word.startsWith('-')),
  )
  const usual = ['a', '3f2a', '.', '-', '--', '', '--help', '-h', '--nope', '-x', 'x y', '--json=1', '-1']
  return fc.array(fc.constantFrom(...flags, ...usual), { maxLength: 6 })
}

describe.each(allCommands)('agenc $words', ({ entry }) => {
  test('the fast path gives what commander gives, or leaves the line to commander', async () => {
    const { default: command } = await entry.load()
    fc.assert(
      fc.property(wordsFor(command), words => {
        const fast = fastInput(command, words)
        if (fast !== null) expect(fast).toEqual(byCommander(command, entry, words))
      }),
      { numRuns: 150 },
    )
  })
})

test('the fast path reads ordinary lines', async () => {
  const { default: ls } = await registry.nouns.mission!.verbs.ls!.load()
  const { default: create } = await registry.nouns.mission!.verbs.new!.load()
  expect(fastInput(ls, ['--json'])).toEqual({ json: true })
  expect(fastInput(ls, ['-a'])).toEqual({ all: true })
  expect(fastInput(ls, ['--jsn'])).toBeNull()
  expect(fastInput(create, ['o/r', '--no-focus', '--name', 'x'])).toEqual({
    repo: 'o/r',
    focus: false,
    name: 'x',
  })
})
