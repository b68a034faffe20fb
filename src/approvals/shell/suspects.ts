import { unknownText, unknownWord } from '../glob.ts'
import { isBuiltInSubcommand, splitGitWords } from './known-git.ts'
import { harmIn, knownProgram } from './known-programs.ts'
import { type LooseCommand, readLoosely } from './loose-script.ts'
import { baseName, isLiteralWord, type ShellCommand, type ShellWord, setOf } from './shell-command.ts'

/** A command that may run, as deny and ask rules see it. */
export interface Suspect {
  /** It is known what the program does with its arguments: it runs none of them as a command. */
  isHarmless: boolean
  command: ShellCommand
  /** Texts it certainly stands for. The list is long on purpose, since one matching text is enough to deny. */
  forms: string[]
  /** Texts that it may turn out to be once the shell has filled in the unknown values. */
  possible: string[]
  /** Text in which the words of a denied command are suspicious. Empty if it is harmless. */
  evidence: string
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

/** `python3.12` is python, and `gtimeout` is timeout. */
function programName(program: string): string {
  const name = baseName(program).toLowerCase()
  const plain = name.replace(/^(python|perl|ruby|node|php|lua)[\d.-]+$/, '$1')
  return /^g(?:env|find|nice|nohup|stdbuf|time|timeout|xargs)$/.test(plain) ? plain.slice(1) : plain
}

/** Texts that may be scripts are read up to this many characters in all. The rest only counts as evidence. */
const maxNestedCharacters = 200_000

export function suspectsOf(
  command: ShellCommand & Partial<LooseCommand>,
  depth = 0,
  budget = { characters: maxNestedCharacters },
): Suspect[] {
  const { words, assignments } = command
  const isHarmless = assignments.length === 0 && command.hasPlainWords !== false && isKnownHarmless(words)
  const inside = (isHarmless || depth >= maxDepth ? [] : scriptsIn(command)).flatMap(script => {
    budget.characters -= script.length
    const hidden = budget.characters < 0 ? [] : readLoosely(script).commands
    return hidden.flatMap(found => suspectsOf(found, depth + 1, budget))
  })
  const suspect: Suspect = {
    isHarmless,
    command,
    forms: formsOf(command, isHarmless),
    possible: possibleForms(command, isHarmless),
    evidence: isHarmless ? '' : evidenceOf(command),
    unreadable: isHarmless ? null : whyUnreadable(command),
  }
  return [suspect, ...inside.map(found => ({ ...found, unreadable: null }))]
}

/** An inert program is harmless whatever the unknown words are. */
export function isKnownHarmless(words: readonly ShellWord[]): boolean {
  const [program] = words
  if (!program || !isLiteralWord(program)) return false
  return knownProgram(program.value)?.inert === true || (words.every(isKnown) && harmIn(words) === null)
}

function isKnown({ value, possible }: ShellWord): boolean {
  return value === possible
}

/** Arguments, values of options and variables that may be commands themselves. */
function scriptsIn({ words, assignments, input }: ShellCommand): string[] {
  const program = programName(words[0]?.value ?? '')
  const texts = words.slice(1, 1 + maxArguments).flatMap(({ resolved }) => [resolved, valueIn(resolved)])
  for (const { resolved } of assignments) texts.push(valueIn(resolved))
  if (typeof input === 'object' && shells.has(program)) texts.push(input.text)
  const runsText = shells.has(program) || startOfInner(program, words.slice(1)) >= 0
  return [...new Set(texts)].filter(text => /\s|[$`(]/.test(text.trim()) && (runsText || !hasUnknown(text)))
}

/** Drops the option in `-xvalue` and `--name=value`, and the `!` with which git marks a shell command. */
function valueIn(text: string): string {
  const joined = /^(?:-[^-=\s]|[\w.-]+=)/.exec(text)?.[0] ?? ''
  return text.slice(joined.length).replace(/^!/, '')
}

function evidenceOf({ text, words, assignments, input }: ShellCommand): string {
  const values = [...assignments, ...words].map(word => word.resolved)
  return withoutQuotes([text, ...values, typeof input === 'object' ? input.text : ''].join(' '))
}

/** Undoes quotes, escapes and braces, which can hide a word from a reader but not from the shell. */
export function withoutQuotes(text: string): string {
  return text
    .replace(/\\\n/g, '')
    .replace(/\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|([0-7]{1,3}))/gi, (all, hex, unicode, octal) => {
      const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16)
      return code > 31 && code < 127 ? String.fromCharCode(code) : all
    })
    .replace(/["'\\{}`$]/g, '')
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
    if (args.some(word => hasUnknown(word.value))) return uncertain
    if (!operand) return input === 'unknown' ? uncertain : null
    const isFile = !takesCode && !args.some(word => /^-[a-zA-Z]*c/.test(word.value))
    return isFile && /^(?:-$|\/dev\/|\/proc\/)/.test(operand.value) ? uncertain : null
  }
  if (interpreters.has(program)) {
    const isUnknownCode = takesCode && args.some(word => word.fixed === '' && word.value !== '')
    const readsInput = input === 'unknown' && !takesCode && (!operand || operand.value === '-')
    return isUnknownCode || readsInput ? uncertain : null
  }
  if (program === 'alias')
    return args.some(word => word.value.includes('=')) ? 'a later word may be an alias' : null
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

type ArgumentLists = (program: string, args: readonly string[]) => string[][]

function formsOf(command: ShellCommand, isHarmless: boolean): string[] {
  const forms = new Set([collapseSpaces(command.text)])
  const assigned = command.assignments.map(item => item.resolved)
  for (const key of ['value', 'resolved'] as const) {
    const words = collapseSpaces(command.words.map(item => item[key]).join(' ')).split(' ')
    forms.add([...assigned, ...words].join(' '))
    for (const form of wordForms(words)) forms.add(form)
    const args = isHarmless ? [] : words.slice(1, 1 + maxArguments)
    for (const at of args.keys())
      for (const start of [args[at]!, valueIn(args[at]!)])
        for (const form of wordForms([start, ...args.slice(at + 1)])) forms.add(form)
  }
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

function possibleForms({ words, input }: ShellCommand, isHarmless: boolean): string[] {
  const possible = collapseSpaces(words.map(item => item.possible).join(' ')).split(' ')
  const forms = new Set(wordForms(possible, possibleArgumentLists))
  const program = programName(possible[0] ?? '')
  const start = isHarmless ? -1 : startOfInner(program, words.slice(1))
  if (start >= 0) {
    const inner = withReplacements(program, possible.slice(1 + start)).slice(0, maxArguments)
    if (program === 'xargs' || program === 'parallel' || input === 'unknown') inner.push(unknownText)
    for (const at of inner.keys())
      if (!inner[at]!.startsWith(unknownText))
        for (const form of wordForms(inner.slice(at), possibleArgumentLists)) forms.add(form)
  }
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
function wordForms(words: readonly string[], argumentListsOf: ArgumentLists = allArgumentLists): string[] {
  const [program, ...args] = words
  if (!program) return []
  const bare = baseName(program)
  const dashed = /^git-(.+)$/.exec(bare)
  const names = new Set([program, bare, bare.toLowerCase(), ...(dashed ? [`git ${dashed[1]}`] : [])])
  const lists = argumentListsOf(program, args)
  if (mayBeGitAlias(words)) lists.push([unknownText])
  return [...names].flatMap(name => (args.length ? lists.map(list => [name, ...list].join(' ')) : [name]))
}

/** Drops one more leading option each time, as any of them may take a value; then all options. */
function allArgumentLists(_program: string, args: readonly string[]): string[][] {
  const leading = countLeadingOptions(args)
  const lists = args.flatMap((_, at) =>
    at <= leading && leading - at < maxArguments ? [args.slice(at)] : [],
  )
  return [...lists, args.filter(arg => !arg.startsWith('-'))]
}

/** The options of git that take a value are known, so the directory in `git -C "$dir" log` is not read as a subcommand. */
function possibleArgumentLists(program: string, args: readonly string[]): string[][] {
  const { globalOptions } = splitGitWords(args)
  const isCertain = programName(program) === 'git' && !globalOptions.some(item => item.includes(unknownText))
  return isCertain ? [[...args], args.slice(globalOptions.length)] : allArgumentLists(program, args)
}

/** Counts the words before the subcommand, where each option may have the next word as its value. */
function countLeadingOptions(words: readonly string[]): number {
  const isOption = (item = '') => /^[-+]/.test(item)
  const end = words.findIndex((item, at) => !isOption(item) && !isOption(words[at - 1]))
  return end < 0 ? words.length : end
}

function mayBeGitAlias([program = '', ...rest]: readonly string[]): boolean {
  const { subcommand } = splitGitWords(rest)
  return programName(program) === 'git' && subcommand !== undefined && !isBuiltInSubcommand(subcommand)
}
