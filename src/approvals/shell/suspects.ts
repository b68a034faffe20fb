import { unknownText } from '../glob.ts'
import { isBuiltInSubcommand, splitGitWords } from './known-git.ts'
import { harmIn } from './known-programs.ts'
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
  /** What may be a program, an argument or a path in its arguments, if those are scripts. */
  pieces: string[]
  /** Why it cannot be known what it runs; null if it can. */
  unreadable: string | null
}

const maxForms = 2000
const maxPieces = 60

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

export function suspectOf(command: ShellCommand): Suspect {
  const isHarmless = isKnownHarmless(command)
  const pieces = isHarmless ? [] : piecesOf(command)
  const unreadable = isHarmless ? null : whyUnreadable(command)
  return { command, isHarmless, forms: formsOf(command, pieces), pieces, unreadable }
}

/** Reads the text of the command again, since a parser for bash does not know what zsh makes of it. */
function isKnownHarmless({ text }: ShellCommand): boolean {
  const proof = proveScript(text)
  if ('doubt' in proof || proof.commands.length !== 1) return false
  const { words, assignments } = proof.commands[0]!
  return assignments.length === 0 && harmIn(words) === null
}

/** Cuts arguments and values of variables where a shell would, without their quotes. */
function piecesOf({ words, assignments, input }: ShellCommand): string[] {
  const texts = [...assignments, ...words.slice(1)].map(({ value }) => value)
  if (typeof input === 'object' && words.some(word => shells.has(programName(word.value))))
    texts.push(input.text)
  const pieces = texts.flatMap(text =>
    text
      .replace(/["'\\]/g, '')
      .replace(/\$(?:HOME\b|\{HOME\})/g, '~')
      .replace(/\$(?:\w+|\{[^{}]*\})|[*?]|\[[\w.^!-]*\]|\{[^{}]*\}/g, unknownText)
      .split(/[\s;&|()<>`]+/),
  )
  return [...new Set(pieces.flatMap(piece => [piece, valueIn(piece)]))].filter(piece => piece !== '')
}

/** Drops the option in `-xvalue` and `--name=value`, and the `!` with which git marks a shell command. */
function valueIn(text: string): string {
  const joined = /^(?:-[^-=\s]|[\w.-]+=)/.exec(text)?.[0] ?? ''
  return text.slice(joined.length).replace(/^!/, '')
}

function whyUnreadable({ words, input }: ShellCommand): string | null {
  const [first, ...args] = words
  if (!first) return null
  if (hasUnknown(baseName(first.value))) return 'the shell completes the name of the program'
  const program = programName(first.value)
  const isOption = (word: ShellWord) => /^[-+]./.test(word.value)
  if (renamers.has(program) && !args.every(isOption)) return 'a later word may stand for another program'
  const isUncertain = runsUnknown({ program, args, operand: args.find(word => !isOption(word)), input })
  return isUncertain ? `it is not certain what ${program} would run` : null
}

interface Call {
  program: string
  args: readonly ShellWord[]
  /** The first argument that is no option. */
  operand: ShellWord | undefined
  input: ShellCommand['input']
}

function runsUnknown(call: Call): boolean {
  const { program, args, operand, input } = call
  if (program === 'source' || program === '.')
    return !operand || hasUnknown(baseName(operand.value)) || isStream(operand)
  if (shells.has(program))
    return (
      args.some(word => hasUnknown(word.value) || isStream(word)) ||
      isUnknownInput(input) ||
      isFilledIn(input)
    )
  if (!interpreters.has(program)) return startsUnknownCommand(call)
  const takesCode = args.some(word => /^-[a-z]*[cer]$|^--(?:eval|command|execute|print)$/.test(word.value))
  if (takesCode) return args.some(startsUnknown)
  return isUnknownInput(input) && (!operand || operand.value === '-')
}

function isStream({ value }: ShellWord): boolean {
  return /^(?:-$|\/dev\/|\/proc\/)/.test(value)
}

function isUnknownInput(input: ShellCommand['input']): boolean {
  return typeof input === 'object' ? hasUnknown(input.text) : input === 'unknown'
}

/** A shell fills in a here-document, and another one reads the result. */
function isFilledIn(input: ShellCommand['input']): boolean {
  return typeof input === 'object' && /[$`]/.test(input.text)
}

/** For programs that start a command from their arguments. */
function startsUnknownCommand({ program, args, input }: Call): boolean {
  const start = startOfInner(program, args)
  if (start < 0) return false
  const inner = args.slice(start)
  const names = inner.map(word => programName(word.value))
  if (isUnknownInput(input) && names.some(name => shells.has(name) || interpreters.has(name))) return true
  if (/^(?:at|batch|parallel)$/.test(program) && input === 'unknown') return true
  if (addsWords(program) && names.some(name => shells.has(name) || runners.has(name))) return true
  if (addsWords(program) && replacesProgram(names.join(' '))) return true
  const runsText = /^(?:git|eval|trap)$/.test(program)
  return inner.some(word => (runsText ? hasUnknown(word.value) : startsUnknown(word)))
}

/** xargs replaces a mark that the caller chooses, and find replaces `{}`. */
function replacesProgram(args: string): boolean {
  const [option = '', chosen = '{}'] = /-[ij] ?(\S+) |--replace=(\S+) /.exec(args) ?? []
  const rest = args.replace(option, '')
  const programs = [/^(?:-\S+ (?:\d+ )?)*(\S+)/, /-(?:exec|ok)(?:dir)? (\S+)/].map(
    found => found.exec(rest)?.[1] ?? '',
  )
  return programs.some(name => name.includes('{}') || name.includes(chosen))
}

function addsWords(program: string): boolean {
  return /^(?:xargs|parallel|find)$/.test(program)
}

function startsUnknown({ value, fixed }: ShellWord): boolean {
  return fixed === '' && value !== ''
}

function hasUnknown(text: string): boolean {
  return text.includes(unknownText)
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

function formsOf({ text, words, assignments }: ShellCommand, pieces: readonly string[]): string[] {
  const values = words.map(word => word.value)
  const forms = new Set(
    [text, [...assignments.map(word => word.value), ...values].join(' ')].map(collapseSpaces),
  )
  for (const form of wordForms(values)) forms.add(form)
  const mayBeSeveralWords = /\s[$`]/.test(text)
  if (mayBeSeveralWords) forms.add([values[0], ...withoutOptions(values.slice(1))].join(' '))
  const mayGetWords = values.some(value => addsWords(programName(value)))
  for (const [at, piece] of pieces.slice(0, maxPieces).entries()) {
    for (const form of wordForms(pieces.slice(at, maxPieces))) forms.add(form)
    if (mayGetWords) forms.add(`${piece} ${unknownText}`)
  }
  const isNamed = !hasUnknown(baseName(values[0] ?? ''))
  return [...forms]
    .filter(form => form !== '' && !(isNamed && form.startsWith(unknownText)))
    .slice(0, maxForms)
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Combines each name of the program with its arguments: all of them, and those that are no options. */
function wordForms([program, ...args]: readonly string[]): string[] {
  if (!program) return []
  const bare = baseName(program)
  const dashed = /^git-(.+)$/.exec(bare)
  const names = new Set([program, bare, bare.toLowerCase(), ...(dashed ? [`git ${dashed[1]}`] : [])])
  const lists = programName(program) === 'git' ? gitArgumentLists(args) : [args, withoutOptions(args)]
  return [...names].flatMap(name => lists.map(list => collapseSpaces([name, ...list].join(' '))))
}

/** The options of git that take a value are known. A subcommand that is not known may be an alias for any other. */
function gitArgumentLists(args: readonly string[]): string[][] {
  const { globalOptions, subcommand } = splitGitWords(args)
  const mayBeAlias = subcommand !== undefined && !isBuiltInSubcommand(subcommand)
  const rest = args.slice(globalOptions.length)
  return [[...args], rest, withoutOptions(rest), ...(mayBeAlias ? [[unknownText]] : [])]
}

function withoutOptions(args: readonly string[]): string[] {
  return args.filter(arg => !/^[-+]./.test(arg))
}
