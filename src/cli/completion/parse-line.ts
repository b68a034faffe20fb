import type { Leaf } from './command-tree.ts'

type OptionSpec = Leaf['options'][number]

export interface Line {
  /** Before the word that is being typed, options and their values taken out. */
  positionals: string[]
  used: ReadonlySet<string>
  /** The option whose value is being typed. */
  open: OptionSpec | null
  /** After a `--` there are no options any more. */
  isLiteral: boolean
}

/** What has been typed of a command, before the word at the cursor. */
export function readLine(spec: Leaf, words: readonly string[]): Line {
  const line = { positionals: [] as string[], used: new Set<string>(), isLiteral: false }
  let open: OptionSpec | null = null
  for (const word of words) {
    if (open) open = null
    else if (line.isLiteral || !/^-./.test(word)) line.positionals.push(word)
    else if (word === '--') line.isLiteral = true
    else {
      const option = findOption(spec, word.split('=')[0]!)
      for (const name of option ? namesOf(option) : [word]) line.used.add(name)
      open = option && takesValue(option) && !word.includes('=') ? option : null
    }
  }
  return { ...line, open }
}

export function findOption(spec: Leaf, name: string): OptionSpec | null {
  return spec.options.find(option => namesOf(option).includes(name)) ?? null
}

/** `-a, --all <what>` is `-a` and `--all`. */
export function namesOf({ flags }: { flags: string }): string[] {
  return flags.split(/[ ,]+/).filter(word => word.startsWith('-'))
}

export function takesValue({ flags }: { flags: string }): boolean {
  return flags.includes('<')
}

/** `--clone <mission>` takes a `mission`. */
export function valueName({ flags }: { flags: string }): string {
  return /<(.*?)>/.exec(flags)?.[1] ?? ''
}

/** bash hands `--name=x` over in three words. */
export function joinEquals(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1)
    if (word === '=' && before?.startsWith('--')) joined[joined.length - 1] = `${before}=`
    else if (/^--[^=]+=$/.test(before ?? '')) joined[joined.length - 1] = before + word
    else joined.push(word)
  }
  return joined
}
