import { type AnyCommand, flagNames, type OptionSpec } from './command.ts'

type Input = Record<string, unknown>

/**
 * Reads a plain command line from the command's own data, without the milliseconds that loading commander takes.
 * Returns null for anything that is not plain (help, a mistake, `--name=value`), so that commander handles it.
 * A property test checks that both give the same result.
 */
export function fastInput(command: AnyCommand, words: readonly string[]): Input | null {
  const options = (command.options ?? []).map(readOption)
  const input = defaultInput(options)
  const positional: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (word === '--') {
      positional.push(...words.slice(index + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word)
      continue
    }
    const option = options.find(({ names }) => names.includes(word))
    if (option === undefined) return null
    if (!option.takesValue) input[option.key] = !isNegation(option)
    else {
      const value = words[++index]
      if (value === undefined || (value.startsWith('-') && value !== '-')) return null
      input[option.key] = option.repeats ? [...((input[option.key] as string[]) ?? []), value] : value
    }
  }
  return withArguments(command, input, positional)
}

/** `--no-focus` without a `--focus` beside it means that `focus` defaults to true. With both, it has no default. */
function defaultInput(options: readonly ReadOption[]): Input {
  const negations = options.filter(isNegation)
  const unpaired = negations.filter(({ key }) => options.filter(option => option.key === key).length === 1)
  return Object.fromEntries(unpaired.map(({ key }) => [key, true]))
}

function withArguments(command: AnyCommand, input: Input, positional: string[]): Input | null {
  const wanted = command.arguments ?? []
  const isOpenEnded = wanted.at(-1)?.variadic ?? false
  if (positional.length > wanted.length && !isOpenEnded) return null
  for (const [index, { name, required, variadic }] of wanted.entries()) {
    const value = variadic ? positional.slice(index) : positional[index]
    if (required && (value === undefined || value.length === 0)) return null
    input[name] = value
  }
  return input
}

interface ReadOption {
  names: string[]
  key: string
  takesValue: boolean
  repeats: boolean
}

function readOption(option: OptionSpec): ReadOption {
  const names = flagNames(option)
  const long = names.find(name => name.startsWith('--')) ?? names[0]!
  return {
    names,
    key: camelCased(long.replace(/^--?(no-)?/, '')),
    takesValue: /[<[]/.test(option.flags),
    repeats: option.repeats ?? false,
  }
}

function isNegation({ names }: ReadOption): boolean {
  return names.some(name => name.startsWith('--no-'))
}

function camelCased(text: string): string {
  return text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
