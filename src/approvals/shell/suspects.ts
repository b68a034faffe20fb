import { unknownText, unknownWord } from '../glob.ts'
import { isBuiltInSubcommand, splitGitWords } from './known-git.ts'
import { harmIn, knownProgram } from './known-programs.ts'
import { readLoosely } from './loose-script.ts'
import { proveScript } from './prove-script.ts'
import { baseName, type ShellCommand, type ShellWord, setOf } from './shell-command.ts'

/** A command that may run, as deny and ask rules see it. */
export interface Suspect {
  command: ShellCommand
  /** It is proven what the program does with its arguments: it runs none of them as a command. */
  isHarmless: boolean
  /**
   * Texts it stands for, with placeholders for what only the shell will know. The list is long on purpose, since one
   * matching text is enough to deny.
   */
  forms: string[]
  /** Why it cannot be known what it runs; null if it can. */
  unreadable: string | null
}

const maxDepth = 4
const maxForms = 2000
const maxArguments = 60

const shells = setOf('sh bash zsh dash ksh ksh93 mksh rbash ash fish csh tcsh pwsh busybox')
const interpreters = setOf(`
  node nodejs python perl ruby php lua deno bun tsx ts-node osascript expect tclsh irb rscript julia awk gawk mawk sqlite3 psql
  mysql gdb ed ex vim vi nvim emacs make bc dc crontab patch`)
/** These run a command from their arguments. */
const runners = setOf(`
  at batch bunx builtin caffeinate chpst chronic chroot command coproc doas entr env eval exec expect fakeroot firejail flock
  hyperfine ionice ld.so lxc ltrace mise nice nix-shell nocorrect noglob nohup npx nsenter parallel perf pipx pkexec pnpx
  proxychains repeat rlwrap runuser screen script setarch setpriv setsid sg ssh sshpass start-stop-daemon stdbuf strace su sudo
  systemd-run taskset time timeout tmux torsocks unbuffer unshare uvx valgrind watch watchexec xargs xvfb-run zsh-defer -`)

/** These change which program a later word stands for. */
const renamers = setOf('alias autoload enable hash zmodload')

/** `python3.12` is python, and `gtimeout` is timeout. */
function programName(program: string): string {
  const name = baseName(program).toLowerCase()
  const plain = name.replace(/^(python|perl|ruby|node|php|lua)[\d.-]+$/, '$1')
  return /^g(?:env|find|nice|nohup|stdbuf|time|timeout|xargs)$/.test(plain) ? plain.slice(1) : plain
}

/** Texts that may be scripts are read up to this many characters in all. The rest only counts as evidence. */
const maxNestedCharacters = 200_000

export function suspectsOf(
  command: ShellCommand,
  depth = 0,
  budget = { characters: maxNestedCharacters },
): Suspect[] {
  const isHarmless = isKnownHarmless(command)
  const inside = (isHarmless || depth >= maxDepth ? [] : scriptsIn(command)).flatMap(script => {
    budget.characters -= script.length
    const hidden = budget.characters < 0 ? [] : readLoosely(script).commands
    return hidden.flatMap(found => suspectsOf(found, depth + 1, budget))
  })
  const unreadable = isHarmless ? null : whyUnreadable(command)
  return [
    { command, isHarmless, forms: formsOf(command, isHarmless), unreadable },
    ...inside.map(found => ({ ...found, unreadable: null })),
  ]
}

/** Reads the text of the command again, since a parser for bash does not know what zsh makes of it. */
function isKnownHarmless({ text }: ShellCommand): boolean {
  const proof = proveScript(text)
  if ('doubt' in proof || proof.commands.length !== 1) return false
  const { words, assignments } = proof.commands[0]!
  const isInert = knownProgram(words[0]!.value)?.inert === true
  return assignments.length === 0 && (isInert || (words.every(isKnown) && harmIn(words) === null))
}

function isKnown({ value, possible }: ShellWord): boolean {
  return value === possible
}

/** Arguments, values of options and variables that may be commands themselves. */
function scriptsIn({ words, assignments, input }: ShellCommand): string[] {
  const program = programName(words[0]?.value ?? '')
  const texts = words.slice(1, 1 + maxArguments).flatMap(({ value }) => [value, valueIn(value)])
  for (const { value } of assignments) texts.push(valueIn(value))
  if (typeof input === 'object' && shells.has(program)) texts.push(input.text)
  const runsText = shells.has(program) || startOfInner(program, words.slice(1)) >= 0
  return [...new Set(texts)].filter(text => /\s|[$`(]/.test(text.trim()) && (runsText || !hasUnknown(text)))
}

/** Drops the option in `-xvalue` and `--name=value`, and the `!` with which git marks a shell command. */
function valueIn(text: string): string {
  const joined = /^(?:-[^-=\s]|[\w.-]+=)/.exec(text)?.[0] ?? ''
  return text.slice(joined.length).replace(/^!/, '')
}

function whyUnreadable(command: ShellCommand): string | null {
  const { words, input } = command
  const [first, ...args] = words
  if (!first) return null
  if (hasUnknown(baseName(first.possible))) return 'the shell completes the name of the program'
  const program = programName(first.possible)
  const operand = args.find(word => !/^[-+]./.test(word.value))
  const takesCode = args.some(word => /^-[a-z]*[cer]$|^--(?:eval|command|execute|print)$/.test(word.value))
  const uncertain = `it is not certain what ${program} would run`
  if (program === 'source' || program === '.') {
    const file = args[0]
    return !file || hasUnknown(baseName(file.possible)) || /^\/(?:dev|proc)\//.test(file.value)
      ? uncertain
      : null
  }
  if (shells.has(program)) {
    const isUnknown = args.some(word => hasUnknown(word.value) || /^(?:-$|\/dev\/|\/proc\/)/.test(word.value))
    const readsUnknown = typeof input === 'object' ? hasUnknown(input.text) : input === 'unknown'
    return isUnknown || readsUnknown ? uncertain : null
  }
  if (interpreters.has(program)) {
    const isUnknownCode = takesCode && args.some(word => word.fixed === '' && word.value !== '')
    const readsInput = input === 'unknown' && !takesCode && (!operand || operand.value === '-')
    return isUnknownCode || readsInput ? uncertain : null
  }
  if (renamers.has(program) && operand) return 'a later word may stand for another program'
  const start = startOfInner(program, args)
  if (start < 0) return null
  const inner = args.slice(start)
  if (/^(?:at|batch|parallel)$/.test(program) && input === 'unknown') return uncertain
  const addsWords = /^(?:xargs|parallel|find)$/.test(program)
  if (input === 'unknown' && inner.some(word => readsCode(programName(word.value)))) return uncertain
  if (addsWords && inner.some(word => runsCommands(programName(word.value)))) return uncertain
  const isCommand = (word: ShellWord) =>
    program === 'git' || program === 'eval' || program === 'trap'
      ? hasUnknown(word.value)
      : word.fixed === '' && word.value !== ''
  return inner.some(isCommand) ? uncertain : null
}

function readsCode(program: string): boolean {
  return shells.has(program) || interpreters.has(program)
}

function runsCommands(program: string): boolean {
  return shells.has(program) || runners.has(program)
}

function hasUnknown(text: string): boolean {
  return text.includes(unknownText) || text.includes(unknownWord)
}

/** Returns where the words begin that a program may run as a command; -1 if it runs none. */
function startOfInner(program: string, args: readonly ShellWord[]): number {
  if (runners.has(program) || program === 'trap') return 0
  if (program === 'find') return args.findIndex(word => /^-(?:exec|ok)/.test(word.value))
  if (program !== 'git') return -1
  return args.findIndex(word =>
    /^(?:-c|--config-env.*|--exec-path.*|-x|--exec.*|foreach|run)$/.test(word.value),
  )
}

function formsOf({ text, words, assignments, input }: ShellCommand, isHarmless: boolean): string[] {
  const program = programName(words[0]?.value ?? '')
  const possible = collapseSpaces(words.map(word => word.possible).join(' ')).split(' ')
  const forms = new Set([collapseSpaces(text), ...wordForms(possible)])
  forms.add(collapseSpaces([...assignments, ...words].map(word => word.possible).join(' ')))
  if (isHarmless) return [...forms].filter(form => form !== '')
  const args = withReplacements(program, possible.slice(1)).slice(0, maxArguments)
  const addsWords = startOfInner(program, words.slice(1)) >= 0 && (program !== 'git' || input === 'unknown')
  if (/^(?:xargs|parallel)$/.test(program) || (addsWords && input === 'unknown')) args.push(unknownText)
  for (const at of args.keys())
    for (const start of [args[at]!, valueIn(args[at]!)])
      if (!hasUnknown(start[0] ?? ''))
        for (const form of wordForms([start, ...args.slice(at + 1)])) forms.add(form)
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

/** xargs replaces a text that the caller chooses, and find replaces `{}`. */
function withReplacements(program: string, words: readonly string[]): string[] {
  if (!/^(?:xargs|parallel|find)$/.test(program)) return [...words]
  const replaced = words.flatMap((word, at) => {
    const joined = /^(?:-[IiJ]|--replace=)(.+)$/s.exec(word)?.[1]
    return joined ?? (/^-[IJ]$/.test(word) ? (words[at + 1] ?? []) : [])
  })
  return words.map(word =>
    [...replaced, '{}'].reduce((text, part) => text.replaceAll(part, unknownText), word),
  )
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Combines each name of the program with each list of arguments. */
function wordForms([program, ...args]: readonly string[]): string[] {
  if (!program) return []
  const bare = baseName(program)
  const dashed = /^git-(.+)$/.exec(bare)
  const names = new Set([program, bare, bare.toLowerCase(), ...(dashed ? [`git ${dashed[1]}`] : [])])
  if (args.length === 0) return [...names]
  const lists = programName(program) === 'git' ? gitArgumentLists(args) : argumentLists(args)
  return [...names].flatMap(name => lists.map(list => [name, ...list].join(' ')))
}

/** Drops one more leading option each time, as any of them may take a value; then all options. */
function argumentLists(args: readonly string[]): string[][] {
  const isOption = (item = '') => /^[-+]/.test(item)
  const end = args.findIndex((item, at) => !isOption(item) && !isOption(args[at - 1]))
  const leading = end < 0 ? args.length : end
  const lists = args.slice(0, Math.min(leading + 1, maxArguments)).map((_, at) => args.slice(at))
  return [...lists, args.filter(arg => !isOption(arg))]
}

/** The options of git that take a value are known. A subcommand that is not known may be an alias for any other. */
function gitArgumentLists(args: readonly string[]): string[][] {
  const { globalOptions, subcommand } = splitGitWords(args)
  const isCertain = !globalOptions.some(option => option.includes(unknownText))
  const lists = isCertain ? [[...args], args.slice(globalOptions.length)] : argumentLists(args)
  const mayBeAlias = subcommand !== undefined && !isBuiltInSubcommand(subcommand)
  return mayBeAlias ? [...lists, [unknownText]] : lists
}
