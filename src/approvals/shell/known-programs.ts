import { innerSpace, unknownText } from '../glob.ts'
import { gitProgram } from './known-git.ts'
import {
  isHarmlessAwkScript,
  isHarmlessFind,
  isHarmlessPrintf,
  isHarmlessSedScript,
  isHarmlessTest,
} from './operands-that-are-code.ts'
import { isLiteralWord, lookUp, type ShellWord, setOf } from './shell-command.ts'

/**
 * What is known to be harmless about a program: with these options and operands it runs nothing but itself (and, for
 * test runners and the like, the project's own code), and writes nothing but the files among its operands. What is not
 * listed here counts as harmful.
 */
export interface Program {
  /** No argument at all can make it run or write anything. */
  inert?: boolean
  /** Changes the files among its operands. */
  writes?: boolean
  /** `-x` and `--long` take no value; `-x=` and `--long=` take one, joined or as the next word. */
  options?: string
  /** Checks the value of each option. */
  isHarmlessValue?(value: string): boolean
  /** Without it, all operands are harmless. Also gets the options that had a value. */
  areHarmlessOperands?(operands: readonly string[], valued: readonly string[]): boolean
  /** All arguments, joined by spaces, have to match this. Nothing else about them is checked. */
  form?: RegExp
  /** Every argument is an operand, also with a dash. */
  hasNoOptions?: boolean
  subcommands?: Readonly<Record<string, Program>>
}

const inertPrograms = setOf(`
  : arch basename cat cksum cmp column comm cut df dirname du echo egrep expand false fgrep fmt fold free grep groups
  head hexdump id jq join logname ls lscpu md5sum nl nproc od paste pgrep printenv ps pwd readlink realpath rev seq
  sha1sum sha256sum sha512sum shasum sleep stat tac tail tr true tty type uname unexpand uptime wc which whoami`)

/** Names of packages, files, targets and tests: nothing that could be an option, an assignment or a response file. */
const name = `[\\w./][\\w./:,*#?\\[\\]${unknownText}-]*`
const number = String.raw`\d+`

/** Any sequence of these words. */
function sequence(...words: string[]): RegExp {
  return new RegExp(`^(?:(?:${words.join('|')})(?: (?=.)|$))*$`)
}

function all(pattern: RegExp): (operands: readonly string[]) => boolean {
  return operands => operands.every(operand => pattern.test(operand))
}

function oneOf(...forms: string[]): RegExp {
  return new RegExp(`^(?:${forms.join('|')})$`)
}

const scripts = `(?:run(?:-script)?(?: -s| --silent)? [\\w.:][\\w./:-]*|test|build|lint|install)`

/** tmux runs `#(…)` in a format and everything after `;`. */
const tmuxReads: Program = { form: /^(?!.*(?:#\(|;))/ }

function each(names: string, program: Program): Record<string, Program> {
  return Object.fromEntries([...setOf(names)].map(name => [name, program]))
}

const programs: Readonly<Record<string, Program>> = {
  git: gitProgram,
  agenc: {
    options: '--version --help -h',
    subcommands: {
      ...each('status help', { inert: true }),
      approvals: { subcommands: each('ls test', { inert: true }) },
      config: { subcommands: each('get ls path', { inert: true }) },
      doctor: { options: '--json' },
      editor: { subcommands: each('ls', { inert: true }) },
      mission: {
        subcommands: {
          ...each('ls show plan stop rename archive unarchive', { inert: true }),
          new: { options: '--blank --clone= --prompt= --name= --model= --no-focus --json' },
          resume: { options: '--no-focus --json' },
        },
      },
      repo: { subcommands: each('ls', { inert: true }) },
    },
  },
  tmux: {
    options: '-L= -S=',
    areHarmlessOperands: () => false,
    subcommands: each(
      `capture-pane capturep display display-message has has-session list-buffers list-clients list-commands list-keys
      list-panes list-sessions list-windows ls lsb lsc lscm lsk lsp lsw show show-buffer show-environment show-messages
      show-options showb showenv showmsgs show-window-options showw`,
      tmuxReads,
    ),
  },
  awk: {
    options: '-F=',
    areHarmlessOperands: ([script = '']) => isHarmlessAwkScript(script),
  },
  biome: { form: sequence('check', 'ci', 'format', 'lint', '--write', name) },
  black: { form: sequence('--check', '--diff', '-q', name) },
  cargo: {
    form: oneOf(
      `(?:bench|build|check|clippy|doc|fmt|metadata|test|tree)(?: (?:--all|--all-features|--all-targets|--bins|--check|--lib|--locked|--no-default-features|--no-deps|--no-run|--offline|--quiet|--release|--tests|--verbose|--workspace|-q|-v|(?:-p|--package|--test|--bin|--features|-F)[ =]${name}|-j ?${number}|${name}))*(?: --(?: (?:--nocapture|--ignored|--exact|--check|--test-threads[ =]${number}|-D warnings|[\\w:]+))+)?`,
      '--version',
    ),
  },
  cd: { form: /^(?:[^-+~\s]\S*)?$/ },
  chmod: { writes: true, options: '-R -v' },
  command: { form: /^-v [\w.-]+$/ },
  cp: {
    writes: true,
    options:
      '-r -R -a -p -f -n -v -u -i -L -P -T --recursive --force --no-clobber --verbose --preserve --archive',
  },
  curl: {
    options: '-s -S -f -L -I -i -v --silent --show-error --fail --location --head --include --max-time= -m=',
    areHarmlessOperands: urls => urls.every(url => /^https?:\/\//.test(url)),
  },
  date: { options: '-u -R -I --utc --iso-8601 -d= --date=', areHarmlessOperands: all(/^\+/) },
  diff: {
    options: `-u -r -q -N -w -b -B -i -a -y -U= --brief --unified= --recursive --side-by-side --color --color= -x= --exclude=
      --ignore-all-space --new-file`,
  },
  docker: {
    form: oneOf('ps(?: -a)?', 'images', 'version', `compose (?:ps|ls)`, 'logs(?: --tail[ =]\\d+)? [\\w.-]+'),
  },
  env: { form: /^$/ },
  eslint: {
    options: `--fix --quiet --cache --ext= --max-warnings= --no-error-on-unmatched-pattern --version --color
      --no-color`,
  },
  exit: { form: /^\d*$/ },
  fd: {
    options: `-e= -t= -H -I -a -d= -E= -g -i -s -p -0 -L --extension= --type= --hidden --no-ignore --max-depth= --exclude=
      --glob --full-path --absolute-path --follow --ignore-case`,
  },
  file: { options: '-b -i -L -h -k --brief --mime --mime-type --mime-encoding' },
  find: { hasNoOptions: true, areHarmlessOperands: isHarmlessFind },
  gh: {
    form: new RegExp(
      `^(?:issue|pr|release|repo|run|workflow) (?:checks|diff|list|status|view)(?: (?:--(?:json|jq|limit|state|author|label|branch|repo|search)[ =][^- ]\\S*|-[LR] ${name}|--(?:comments|log|log-failed|name-only)|[\\w#][\\w/.#-]*))*$`,
    ),
  },
  go: {
    form: oneOf(
      `(?:build|list|test|vet)(?: (?:-v|-race|-short|-cover|-failfast|-json|-(?:run|skip|count|timeout|bench|parallel|tags|p)[= ][^- ]\\S*|${name}))*`,
      'mod (?:download|graph|tidy|verify)',
      `fmt(?: ${name})*`,
      'version',
      'env(?: [A-Z]+)*',
    ),
  },
  hostname: { form: /^$/ },
  jest: {
    form: sequence(
      '--runInBand',
      '--verbose',
      '--silent',
      '--bail',
      '--ci',
      '--coverage',
      '(?:-t|--testNamePattern)[ =][^- ]\\S*',
      name,
    ),
  },
  ln: { writes: true, options: '-s -f -n -v -r -T' },
  make: {
    form: sequence(
      '-j\\d*',
      '-[ksnB]+',
      '--silent',
      '--keep-going',
      '--dry-run',
      '--no-print-directory',
      '[\\w.][\\w./-]*',
    ),
  },
  mkdir: { writes: true, options: '-p -v -m= --parents' },
  mv: { writes: true, options: '-f -n -v -i -u -T' },
  mypy: { form: sequence('--strict', '--ignore-missing-imports', name) },
  node: { form: oneOf('--version', '-v', `--check ${name}`, `--test(?: ${name})*`) },
  npm: {
    form: oneOf(scripts, 't', 'ci', 'outdated', '--version', '-v', '(?:ls|list)(?: --depth[= ]\\d+| --all)*'),
  },
  pip: { form: oneOf('list', 'freeze', '--version', 'check', `show ${name}`) },
  pnpm: { form: oneOf(scripts, '--version', 'ls', 'outdated') },
  prettier: { options: '--check -c --list-different -l --write -w --log-level= --no-color' },
  printf: { hasNoOptions: true, areHarmlessOperands: isHarmlessPrintf },
  pytest: {
    options: `-q -v -x -s -l -k= -m= -n= -r= --lf --ff --maxfail= --tb= --durations= --collect-only --co --no-header
      --cov --cov= --last-failed --failed-first --exitfirst --quiet --verbose --no-cov --color= --disable-warnings --version`,
    areHarmlessOperands: all(/^[\w./]/),
  },
  python: { form: oneOf('--version', '-V') },
  rg: {
    options: `-n -i -l -c -w -v -F -x -o -S -s -u -U -H -h -N -0 -a -p -P -L -q -I -g= -t= -T= -e= -A= -B= -C= -m= -d= -j=
      -M= -r= --files --hidden --no-ignore --glob= --iglob= --type= --type-not= --context= --after-context= --before-context=
      --max-count= --max-depth= --max-columns= --count --count-matches --files-with-matches --files-without-match
      --line-number --no-line-number --no-heading --heading --color= --ignore-case --smart-case --case-sensitive
      --word-regexp --fixed-strings --multiline --multiline-dotall --pcre2 --json --stats --sort= --sortr= --no-ignore-vcs
      --no-messages --vimgrep --column --trim --replace= --only-matching --invert-match --type-list --no-filename
      --with-filename --follow --null --text --regexp= --passthru --version --quiet`,
  },
  rm: { writes: true, options: '-r -R -f -v -i -d --recursive --force' },
  rmdir: { writes: true, options: '-p -v' },
  ruff: { form: sequence('check', 'format', '--fix', '--check', '--diff', name) },
  sed: {
    options: '-n -E -r -s -z -e= --quiet --silent --regexp-extended --expression=',
    isHarmlessValue: isHarmlessSedScript,
    areHarmlessOperands: ([script = ''], valued) => valued.length > 0 || isHarmlessSedScript(script),
  },
  sort: {
    options: `-n -r -u -f -b -h -V -s -z -c -g -M -d -i -R -k= -t= --reverse --numeric-sort --unique --key= --field-separator=
      --version-sort --human-numeric-sort --stable --ignore-case --general-numeric-sort`,
  },
  strings: { options: '-a -n= -t=' },
  tar: { form: /^-?t[vzjJ]*f [^-\s]\S*$/ },
  tee: { writes: true, options: '-a -i --append' },
  test: { hasNoOptions: true, areHarmlessOperands: isHarmlessTest },
  touch: { writes: true, options: '-a -m -c -d= -t= -r=' },
  tree: {
    options: `-a -d -f -s -h -C -i -p -u -g -D -F -J -n -L= -I= -P= --gitignore --dirsfirst --noreport --du --filelimit=`,
  },
  tsc: {
    form: sequence(
      '--noEmit',
      '--pretty',
      '--skipLibCheck',
      '--strict',
      '--version',
      '-v',
      `(?:-p|--project) ${name}`,
      name,
    ),
  },
  uniq: {
    options: '-c -d -u -i -z -f= -s= -w= --count --repeated --unique --ignore-case',
    areHarmlessOperands: operands => operands.length < 2 && !operands.join().includes(unknownText),
  },
  vitest: {
    form: sequence(
      'run',
      '--run',
      '--coverage',
      '--no-color',
      '--silent',
      '(?:-t|--testNamePattern)[ =][^- ]\\S*',
      '--maxWorkers[ =]\\d+',
      '--bail(?:=\\d+)?',
      '--reporter[ =](?:default|dot|verbose|basic|tap|json)',
      name,
    ),
  },
  yarn: { form: oneOf(scripts, '--version') },
}

const otherNames: Readonly<Record<string, string>> = {
  '[': 'test',
  pip3: 'pip',
  python3: 'python',
  ripgrep: 'rg',
}

/** Words before one of these programs that change nothing about what is known of it. */
const runners: readonly [RegExp, ReadonlySet<string>][] = [
  [/^npx(?: --no-install)? /, setOf('biome eslint jest prettier tsc vitest')],
  [/^pnpm exec /, setOf('biome eslint jest prettier tsc vitest')],
  [/^python3? -m /, setOf('black mypy pytest ruff')],
  [/^(?:uv|poetry) run /, setOf('black mypy pytest ruff')],
]

export function knownProgram(program: string): Program | undefined {
  if (inertPrograms.has(program)) return { inert: true }
  return lookUp(programs, lookUp(otherNames, program) ?? program)
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
  const program = knownProgram(first.value)
  if (!program) return `what ${first.value} does with its arguments is not known`
  return harmInArguments(first.value, program, args)
}

function joined(words: readonly ShellWord[]): string {
  return words.map(word => word.value.replace(/\s/g, innerSpace)).join(' ')
}

export function harmInArguments(name: string, program: Program, args: readonly ShellWord[]): string | null {
  if (program.inert) return null
  const unknown = (word: string) => `${name} ${word} is not known to be harmless`.replaceAll(unknownText, '…')
  if (program.form) {
    const mayBeOption = args.find(word => !isLiteralWord(word) && !/^[\w./]/.test(word.fixed))
    const text = joined(args)
    return mayBeOption || !program.form.test(text) ? unknown(text.replaceAll(innerSpace, ' ')) : null
  }
  const known = setOf(program.options ?? '')
  const operands: string[] = []
  const valued: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    if (word.value === '--' && !program.hasNoOptions && !program.subcommands) {
      operands.push(...args.slice(at + 1).map(asOperand))
      break
    }
    if (!isLiteralWord(word) && /^(?:-|$)/.test(word.fixed)) return unknown(word.value)
    if (program.subcommands && !/^-./.test(word.value)) {
      const subcommand = lookUp(program.subcommands, word.value)
      if (!subcommand || !isLiteralWord(word)) return unknown(word.value)
      return harmInArguments(`${name} ${word.value}`, subcommand, args.slice(at + 1))
    }
    if (program.hasNoOptions || !/^-./.test(word.value)) {
      operands.push(asOperand(word))
      continue
    }
    const option = readOption(word.value, known)
    if (option === null) return unknown(word.value)
    if (option.value === null) continue
    const value = option.value || nextValue(args[++at])
    if (value === null || program.isHarmlessValue?.(value) === false)
      return unknown(`${word.value} ${value ?? ''}`)
    valued.push(option.name)
  }
  const isHarmless = program.areHarmlessOperands?.(operands, valued) ?? true
  return isHarmless ? null : unknown(operands.join(' '))
}

/** A word that the shell may expand ends in `unknownText`, behind the part that is certain. */
function asOperand(word: ShellWord): string {
  return isLiteralWord(word) ? word.value : word.fixed + unknownText
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
