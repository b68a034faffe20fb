import { innerSpace, unknownText } from '../glob.ts'
import { gitChecks, gitTable } from './known-git.ts'
import {
  isHarmlessAwk,
  isHarmlessFind,
  isHarmlessPrintf,
  isHarmlessSed,
  isHarmlessTest,
} from './operands-that-are-code.ts'
import { isLiteralWord, lookUp, type ShellWord, setOf } from './shell-command.ts'

/**
 * What is known to be harmless about a program: with these arguments it runs nothing but itself (and, for test runners
 * and the like, the project's own code), and writes nothing but the files among its operands. What is not listed counts
 * as harmful.
 */
interface Program {
  /** No argument at all can make it run or write anything. */
  inert: boolean
  /** Changes the files among its operands. */
  writes: boolean
  /** `-x` and `--long` take no value; `-x=` and `--long=` take one, joined or as the next word; `-#` is a number. */
  options: ReadonlySet<string>
  /** Every argument is an operand, also with a dash. */
  hasNoOptions: boolean
  /** All arguments, joined by spaces, have to match this. Nothing else about them is checked. */
  form?: RegExp
  check?: OperandCheck
}

/** Gets the operands, and the values of options by name. A program with a check gets only literal words. */
export type OperandCheck = (operands: readonly string[], values: ReadonlyMap<string, string>) => boolean

/** Commands of agenc that have a short form. agenc itself sees to it that a mission gives no rights that it does not have. */
function agencTable(noun: string): string {
  return `agenc/${noun}new --blank --clone= --base= --branch= --offline --prompt= --name= --model= --headless --wait --timeout=
  --ask-timeout= --no-focus --detach --json
agenc/${noun}resume --no-focus --detach --json
agenc/${noun}send --wait --timeout= --queue --cancel= --json`
}

/**
 * One program per line: its name with `/` before subcommands, joined by `,`; `inert`, `writes` or `no-options`, and its
 * options. A line that begins with a space continues the one before.
 */
const table = `
${gitTable}
agenc --version --help
agenc/diff,events,help,ls,prime,status,stop inert
agenc/doctor --json
agenc/approvals/ls,test inert
agenc/config/get,ls,path inert
agenc/editor/ls inert
agenc/mission/archive,conflicts,diff,dir,interrupt,ls,plan,print,rename,show,stop,unarchive,wait inert
agenc/mission/fork --name= --prompt= --no-focus --detach --json
${agencTable('mission/')}
${agencTable('')}
agenc/repo/ls inert
awk -F=
chmod writes -R -v
cp writes -r -R -a -p -f -n -v -u -i -L -P -T --recursive --force --no-clobber --verbose --preserve --archive
curl -s -S -f -L -I -i -v --silent --show-error --fail --location --head --include --max-time= -m=
date -u -R -I --utc --iso-8601 -d= --date=
diff -u -r -q -N -w -b -B -i -a -y -U= --brief --unified= --recursive --side-by-side --color --color= -x= --exclude=
  --ignore-all-space --new-file
eslint --fix --quiet --cache --ext= --max-warnings= --no-error-on-unmatched-pattern --version --color --no-color
fd -e= -t= -H -I -a -d= -E= -g -i -s -p -0 -L --extension= --type= --hidden --no-ignore --max-depth= --exclude= --glob
file -b -i -L -h -k --brief --mime --mime-type --mime-encoding
find no-options
ln writes -s -f -n -v -r -T
mkdir writes -p -v -m= --parents
mv writes -f -n -v -i -u -T
prettier --check -c --list-different -l --write -w --log-level= --no-color
printf no-options
pytest -q -v -x -s -l -k= -m= -n= -r= --lf --ff --maxfail= --tb= --durations= --collect-only --co --no-header --cov --cov=
  --last-failed --failed-first --exitfirst --quiet --verbose --no-cov --color= --disable-warnings --version
rg -n -i -l -c -w -v -F -x -o -S -s -u -U -H -h -N -0 -a -p -P -L -q -I -g= -t= -T= -e= -A= -B= -C= -m= -d= -j= -M= -r=
  --files --hidden --no-ignore --glob= --iglob= --type= --type-not= --context= --after-context= --before-context= --max-count=
  --max-depth= --max-columns= --count --count-matches --files-with-matches --files-without-match --line-number --no-line-number
  --no-heading --heading --color= --ignore-case --smart-case --case-sensitive --word-regexp --fixed-strings --multiline --pcre2
  --json --stats --sort= --sortr= --no-ignore-vcs --no-messages --vimgrep --column --trim --replace= --only-matching --quiet
  --invert-match --type-list --no-filename --with-filename --follow --null --text --regexp= --passthru --version
rm writes -r -R -f -v -i -d --recursive --force
rmdir writes -p -v
sed -n -E -r -s -z -e= --quiet --silent --regexp-extended --expression=
sort -n -r -u -f -b -h -V -s -z -c -g -M -d -i -R -k= -t= --reverse --numeric-sort --unique --key= --field-separator=
  --version-sort --human-numeric-sort --stable --ignore-case --general-numeric-sort
strings -a -n= -t=
tee writes -a -i --append
test no-options
tmux -L= -S=
touch writes -a -m -c -d= -t= -r=
tree -a -d -f -s -h -C -i -p -u -g -D -F -J -n -L= -I= -P= --gitignore --dirsfirst --noreport --du --filelimit=
uniq -c -d -u -i -z -f= -s= -w= --count --repeated --unique --ignore-case`

const inertPrograms = `
  : arch basename cat cksum cmp column comm cut df dirname du echo egrep expand false fgrep fmt fold free grep groups
  head hexdump id jq join logname ls lscpu md5sum nl nproc od paste pgrep printenv ps pwd readlink realpath rev seq
  sha1sum sha256sum sha512sum shasum sleep stat tac tail tr true tty type uname unexpand uptime wc which whoami`

const every =
  (pattern: RegExp): OperandCheck =>
  operands =>
    operands.every(operand => pattern.test(operand))

const checks: Readonly<Record<string, OperandCheck>> = {
  ...gitChecks,
  awk: isHarmlessAwk,
  curl: every(/^https?:\/\//),
  date: every(/^\+/),
  find: isHarmlessFind,
  printf: isHarmlessPrintf,
  pytest: every(/^[\w./]/),
  sed: isHarmlessSed,
  test: isHarmlessTest,
  tmux: () => false,
  uniq: operands => operands.length < 2,
}

/** A name of a package, file, target or test: nothing that could be an option, an assignment or a response file. */
const name = '[\\w./][\\w./:,*#?\\[\\]-]*'
const packageScript = 'run(?:-script)?(?: -s| --silent)? [\\w.:][\\w./:-]*|test|install|--version'
const cargoFlags = `all|all-features|all-targets|bins|check|lib|locked|no-default-features|no-deps|no-run|offline|quiet|release|tests|verbose|workspace`
const cargoOption = `--(?:${cargoFlags})|-[qv]|(?:-p|--package|--test|--bin|--features)[ =]${name}|${name}`
const goOption = `-v|-race|-short|-cover|-failfast|-json|-(?:run|skip|count|timeout|bench|tags|p)[= ][^- ]\\S*|${name}`
const ghOption = `--(?:json|jq|limit|state|author|label|branch|repo|search)[ =][^- ]\\S*|--(?:comments|log|name-only)|[\\w#][\\w/.#-]*`
/** tmux runs \`#(…)\` in a format and everything after \`;\`. */
const tmuxReads = '(?!.*(?:#\\(|;)).*'

const forms: Readonly<Record<string, string>> = {
  cargo: `(?:bench|build|check|clippy|doc|fmt|test|tree)(?: (?:${cargoOption}))*(?: --(?: (?:--nocapture|--ignored|--exact|--check|--test-threads[ =]\\d+|-D warnings|[\\w:]+))+)?`,
  cd: '(?:[^-+~\\s]\\S*)?',
  command: '-v [\\w.-]+',
  env: '',
  exit: '\\d*',
  gh: `(?:issue|pr|release|repo|run) (?:checks|diff|list|status|view)(?: (?:${ghOption}))*`,
  go: `(?:build|list|test|vet)(?: (?:${goOption}))*|mod (?:download|graph|tidy|verify)|fmt(?: ${name})*|version`,
  make: '(?:(?:-j\\d*|-[ksnB]+|--silent|--keep-going|--dry-run|[\\w.][\\w./-]*)(?: (?=.)|$))*',
  node: `--version|-v|--check ${name}|--test(?: ${name})*`,
  npm: `${packageScript}|t|ci|outdated|-v|(?:ls|list|view)(?: \\w[\\w.-]*| --depth[= ]\\d+| --all)*`,
  pip: `list|freeze|--version|show ${name}`,
  pnpm: packageScript,
  python: '--version|-V',
  ruff: `(?:check|format)(?: (?:--fix|--check|--diff|${name}))*`,
  tar: '-?t[vzjJ]*f [^-\\s:][^\\s:]*',
  tsc: `(?:(?:--noEmit|--pretty|--skipLibCheck|--strict|--version|-v|(?:-p|--project) ${name}|${name})(?: (?=.)|$))*`,
  vitest: `run(?: (?:--coverage|--silent|(?:-t|--testNamePattern)[ =][^- ]\\S*|--reporter[ =](?:default|dot|verbose)|${name}))*`,
  yarn: packageScript,
  'git/apply': `--(?:check|stat|numstat)(?: ${name})*`,
  'tmux/capture-pane,display-message,has-session,list-keys,list-panes,list-sessions,list-windows,ls,show-options':
    tmuxReads,
}

const otherNames: Readonly<Record<string, string>> = {
  '[': 'test',
  pip3: 'pip',
  python3: 'python',
  jest: 'vitest',
}

const programs = readPrograms()

function readPrograms(): ReadonlyMap<string, Program> {
  const lines = [...setOf(inertPrograms)].map(program => `${program} inert`)
  lines.push(...table.trim().replace(/\n +/g, ' ').split('\n'), ...Object.keys(forms))
  return new Map(
    lines.flatMap(line => {
      const [names = '', ...words] = line.split(/\s+/)
      const form = lookUp(forms, names)
      const parent = names.slice(0, names.lastIndexOf('/') + 1)
      return names
        .slice(parent.length)
        .split(',')
        .map((last): [string, Program] => [
          parent + last,
          {
            inert: words.includes('inert'),
            writes: words.includes('writes'),
            hasNoOptions: words.includes('no-options'),
            options: new Set(words),
            form: form === undefined ? undefined : new RegExp(`^(?:${form})$`),
            check: lookUp(checks, parent + last),
          },
        ])
    }),
  )
}

/** Words before one of these programs that change nothing about what is known of it. */
const runners: readonly [RegExp, ReadonlySet<string>][] = [
  [/^(?:npx(?: --no-install)?|pnpm exec) /, setOf('eslint prettier tsc vitest')],
  [/^(?:python3? -m|uv run|poetry run) /, setOf('pytest ruff')],
]

export function knownProgram(program: string): Program | undefined {
  return program.includes('/') ? undefined : programs.get(lookUp(otherNames, program) ?? program)
}

/** True if a program that is known changes the files among its operands. */
export function writesFiles(words: readonly ShellWord[]): boolean {
  const [program = '', ...args] = words.map(word => word.value)
  const subcommand = args.find(arg => programs.has(`${program}/${arg}`))
  return programs.get(subcommand === undefined ? program : `${program}/${subcommand}`)?.writes === true
}

/** Returns null if the command is known to be harmless, otherwise what is not known about it. */
export function harmIn(words: readonly ShellWord[]): string | null {
  const [first, ...args] = words
  if (first === undefined || !isLiteralWord(first)) return 'it is not certain which program would run'
  const text = joined(words)
  for (const [prefix, names] of runners) {
    const length = prefix.exec(text)?.[0].trim().split(' ').length ?? 0
    if (length > 0 && names.has(words[length]?.value ?? '')) return harmIn(words.slice(length))
  }
  if (!isListed(first.value)) return `what ${first.value} does with its arguments is not known`
  return harmInArguments(lookUp(otherNames, first.value) ?? first.value, args)
}

export function isListed(program: string): boolean {
  return knownProgram(program) !== undefined || hasSubcommands(program)
}

function joined(words: readonly ShellWord[]): string {
  return words.map(word => word.value.replace(/\s/g, innerSpace)).join(' ')
}

function hasSubcommands(key: string): boolean {
  return keysOfSubcommands.has(key)
}

const keysOfSubcommands = new Set(
  [...programs.keys()].flatMap(key => [...key.matchAll(/\//g)].map(found => key.slice(0, found.index))),
)

/** Some checks take longer than linear time. */
const maxCodeLength = 2000

/** The key names the program, and its subcommand if it has one. */
function harmInArguments(key: string, args: readonly ShellWord[]): string | null {
  const program = programs.get(key)
  if (program?.inert) return null
  const unknown = (word: string) =>
    `${key.replaceAll('/', ' ')} ${word} is not known to be harmless`.replaceAll(unknownText, '…')
  const needsLiterals = program?.writes || program?.form || program?.check
  const completed = needsLiterals && args.find(word => !isLiteralWord(word))
  if (completed) return unknown(completed.value)
  if (program?.form) {
    const text = joined(args)
    return program.form.test(text) ? null : unknown(text.replaceAll(innerSpace, ' '))
  }
  const operands: string[] = []
  const values = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    if (!isLiteralWord(word) && /^(?:-|$)/.test(word.fixed)) return unknown(word.value)
    if (hasSubcommands(key) && !/^-./.test(word.value)) {
      const next = `${key}/${word.value}`
      const isKnown =
        isLiteralWord(word) && !word.value.includes('/') && (programs.has(next) || hasSubcommands(next))
      return isKnown ? harmInArguments(next, args.slice(at + 1)) : unknown(word.value)
    }
    if (word.value === '--' && hasSubcommands(key)) return unknown(word.value)
    if (word.value === '--' && !program?.hasNoOptions) {
      operands.push(...args.slice(at + 1).map(({ value }) => value))
      break
    }
    if (program?.hasNoOptions || !/^-./.test(word.value)) {
      operands.push(word.value)
      continue
    }
    const option = readOption(word.value, program?.options ?? new Set())
    if (option === null) return unknown(word.value)
    if (option.value === null) continue
    const value = option.value || nextValue(args[++at])
    if (value === null) return unknown(word.value)
    values.set(option.name, [...(values.has(option.name) ? [values.get(option.name)] : []), value].join('\n'))
  }
  if (program === undefined) return unknown('without a subcommand')
  const isTooLong = [...operands, ...values.values()].some(text => text.length > maxCodeLength)
  const isHarmless = !program.check || (!isTooLong && program.check(operands, values))
  return isHarmless ? null : unknown(operands.join(' '))
}

/** Some programs read a word with a dash as an option even where a value is expected. */
function nextValue(word: ShellWord | undefined): string | null {
  return word && isLiteralWord(word) && !/^-./.test(word.value) ? word.value : null
}

/** Returns null for an option that is not known. The value is null if it takes none, and empty if it is the next word. */
function readOption(word: string, known: ReadonlySet<string>): { name: string; value: string | null } | null {
  if (known.has(word) || (/^-\d+$/.test(word) && known.has('-#'))) return { name: word, value: null }
  if (known.has(`${word}=`)) return { name: word, value: '' }
  if (word.startsWith('--')) {
    const name = word.slice(0, word.indexOf('='))
    return word.includes('=') && known.has(`${name}=`) ? { name, value: word.slice(name.length + 1) } : null
  }
  for (let at = 1; at < word.length; at++) {
    const name = `-${word[at]}`
    if (known.has(`${name}=`)) return { name, value: word.slice(at + 1) }
    if (!known.has(name)) return null
  }
  return { name: word, value: null }
}
