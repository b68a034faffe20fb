import type { AnyCommand, OptionSpec } from './command.ts'

type Input = Record<string, unknown>

/**
 * Reads a plain command line by the command's own data, without commander and the 5 ms it takes to load.
 * null: not plain (help, a mistake, anything unusual), so that commander has the word. A test holds both to the
 * same result.
 */
export function plainInput(command: AnyCommand, words: readonly string[]): Input | null {
  const options = (command.options ?? []).map(readOption)
  const input = startingInput(options)
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
      input[option.key] = value
    }
  }
  return withArguments(command, input, positional)
}

/** `--no-focus` alone makes `focus` true until it is said; beside a `--focus` nothing is assumed. */
function startingInput(options: readonly ReadOption[]): Input {
  const negations = options.filter(isNegation)
  const alone = negations.filter(({ key }) => options.filter(option => option.key === key).length === 1)
  return Object.fromEntries(alone.map(({ key }) => [key, true]))
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
}

/** `-a, --all`, `--name <text>`, `--no-focus`. */
function readOption({ flags }: OptionSpec): ReadOption {
  const names = flags.split(/[ ,]+/).filter(word => word.startsWith('-'))
  const long = names.find(name => name.startsWith('--')) ?? names[0]!
  return { names, key: camelCased(long.replace(/^--?(no-)?/, '')), takesValue: /[<[]/.test(flags) }
}

function isNegation({ names }: ReadOption): boolean {
  return names.some(name => name.startsWith('--no-'))
}

function camelCased(text: string): string {
  return text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
