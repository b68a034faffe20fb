// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell's
import { attacks, pushAttacks, selfAttacks, unshownAttacks, unshownPushAttacks } from '../corpus/attacks.ts'
import { ordinaryCommands } from '../corpus/ordinary-commands.ts'
import type { Random } from './random.ts'
import type { Aim } from './trial.ts'

/** Commands that the wildcard rules allow, about files that the sandbox has. */
const harmless = [
  'ls -la src',
  'ls',
  'cat f f2',
  'head -n 2 f',
  'tail -1 f',
  'wc -l f',
  'sort -u f',
  'uniq -c f',
  'cut -d: -f1 f',
  'tr a b',
  'grep -rn alpha src',
  'grep -E "a|b" f',
  'rg -n alpha src',
  "sed -n '1,2p' f",
  'sed -n -e 1p f',
  "awk '{print $1}' f",
  'jq .name data.json',
  'find . -name "*.ts" -type f',
  'find f -print',
  'file f',
  'diff -u f f2',
  'date +%s',
  'xxd -l 5 f',
  'column -t f',
  'basename src/a.ts .ts',
  'echo hello world',
  'echo "a b"',
  "printf '%s\\n' a b",
  'test -f f',
  '[ -d src ]',
  '[ 1 -eq 1 ]',
  'git status --short',
  'git log --oneline -3',
  'git diff --stat',
  'git show HEAD',
  'git grep -n alpha',
  'git add f',
  'git commit --allow-empty -m "a message"',
  'make test',
  'make -s build',
  'tar tf a.tar',
  'true',
]

const separators = [
  ';',
  '; ',
  ' & ',
  ' | ',
  ' && ',
  ' || ',
  '\n',
  ' |& ',
  ' &! ',
  ' &| ',
  ';;',
  '\r\n',
  ' \\\n;',
  '\n\n',
  '&',
  ' # \n',
  '|',
]

const asWords = [
  '$(#)',
  '"$(#)"',
  '`#`',
  '<(#)',
  '>(#)',
  '=(#)',
  '${x:-$(#)}',
  '"${x:-`#`}"',
  '$((a[$(#)]))',
  '$[a[$(#)]]',
  '${a[$(#)]}',
  '$x[$(#)]',
  '$HOME[path[$(#)]]',
  "'a[$(#)]'",
  "'path[$(#)]'",
  'a[$(#)]=1',
  "*(e:'#':)",
  "f(e:'#':)",
  'f(e{#})',
  "${(e):-'$(#)'}",
  '${(e):-\\$(#)}',
  '${:-$(#)}',
  '{a,$(#)}',
  '~[$(#)]',
  '<<<$(#)',
  '<<<"`#`"',
  "<<<'#'",
  "$'$(#)'",
  '$"$(#)"',
  '"$(#"',
  "'$(#)'",
  '\\$(#)',
  '$\\(#)',
  '${x#$(#)}',
  "${x:-'$(#)'}",
  '"${x:-\'$(#)\'}"',
  '$(# )',
  '$(\n#\n)',
  '${HOME:a[$(#)]}',
  '(#)',
  '{#}',
  '{ #; }',
  '$((`#`))',
]

const wholeForms = [
  '{ % } always { # }',
  'if % { # }',
  'if %; then #; fi',
  'while %; do #; break; done',
  'for f (a) #',
  'for f in a; { # }',
  'repeat 1 #',
  '() { # }',
  'f() { #; }; f',
  'function f { # }; f',
  '%; trap "#" EXIT',
  'case x in x) #;; esac',
  'case x { x) # }',
  '(%; #)',
  '{ %; #; }',
  'eval "#"',
  "eval '%; #'",
  'command #',
  'exec #',
  'time #',
  '! #',
  'nice #',
  'env #',
  "env -S'#'",
  'timeout 5 #',
  "bash -c '#'",
  "bash -c '%; #'",
  'noglob #',
  '- #',
  'xargs # <f',
  'find f -exec # \\;',
  '% <<EOF\n$(#)\nEOF',
  "% <<'EOF'\n$(#)\nEOF",
  '% <<EOF\n#\nEOF',
  "% <<'EOF'\nx\nEOF\n#",
  '% <<-EOF\n\t#\n\tEOF',
  '% <<"EOF"; #\nx\nEOF',
  '% <<E\\OF\n$(#)\nEOF',
  "% <<$'EOF'\n$(#)\nEOF",
  'x="#"; %',
  'x="#"; $x',
  "x='$(#)' %",
  '% | while read x; do #; done',
  'for x in $(#); do %; done',
  'coproc #',
  '[[ -n $(#) ]] && %',
  '[[ a[$(#)] -eq 1 ]]',
  '((a[$(#)]))',
  "let 'a[$(#)]'",
  'echo "#" | sh',
  'echo "#" | bash -s',
  '. /dev/stdin <<<"#"',
  "exec 3<<<'#'; . /dev/fd/3",
  'alias ls="#"\nls',
  'ls() { #; }; %',
  'cd sub && %',
  'cd sub; #',
  '# #\n%',
  '% #',
  '%\\\n#',
]

const redirections = ['>', '>>', '>|', '>!', '&>', '>&', '2>', '<>', '>>!', '>&|', '<', '<<<', '3>', '2>&1 >']
const targets = [
  'P',
  '"P"',
  '$x',
  '~/P',
  '*',
  '>(#)',
  '<(#)',
  '/dev/null',
  '&1',
  '/dev/fd/3',
  "f(e:'#':)",
  '{a,P}',
  'P*',
  '.git/config',
  '../outside/P',
  '$(#)',
  'f2',
]

const variables = [
  'PATH',
  'path',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'PAGER',
  'EDITOR',
  'BASH_ENV',
  'ENV',
  'SHELL',
  'MAKEFLAGS',
  'MAKEFILES',
  'TAR_OPTIONS',
  'LESSOPEN',
  'IFS',
  'PS4',
  'x',
  'HOME',
  'GIT_CONFIG_GLOBAL',
  'LD_PRELOAD',
  'AWKPATH',
  'FIGNORE',
  'NULLCMD',
  'READNULLCMD',
]
const values = [
  '#',
  '"#"',
  './evil',
  'sub',
  'sub:$PATH',
  '(sub)',
  "'$(#)'",
  '$(#)',
  'evil.cfg',
  '--to-command=#',
  'x',
  '',
]

/** Options that make a program run or write something, and what must follow. `#` is the payload. */
const options: Record<string, readonly string[]> = {
  sed: [
    '-e 1e#',
    '-e1e#',
    '--expression=1e#',
    '-f evil.sed',
    '--file=evil.sed',
    '-i',
    '--in-place',
    "'1e #'",
    "'w P'",
    "'s/a/#/e'",
    '-s',
    '-l 5',
    '-z',
    '-E',
    '--',
    '-n',
    '--posix',
    '-u',
    '--debug',
    '--line-length=3',
  ],
  awk: [
    '-f evil.awk',
    '-fevil.awk',
    '\'BEGIN{system("#")}\'',
    '\'{print>"P"}\'',
    '\'{print|"#"}\'',
    '-W exec=evil.awk',
    '-F:',
    '-v x=1',
    '--',
    '-We',
    '-Wi',
    '-W',
    'x=1',
  ],
  find: [
    '-exec # \\;',
    '-execdir # \\;',
    '-fprint P',
    '-delete',
    '-fls P',
    '-fprintf P x',
    '-ok # \\;',
    '-o',
    '-not',
    '\\(',
    '\\)',
    '-H',
    '-L',
    '-P',
    '-D tree',
    '-O3',
    '-newermt 1',
  ],
  sort: [
    '-o P',
    '-oP',
    '--output=P',
    '--outp P',
    '--compress-program=#',
    '-T sub',
    '--files0-from=f',
    '-k1',
    '-t:',
    '-S1k',
    '-c',
    '-m',
    '-R',
    '--parallel=2',
    '--debug',
    '-n',
  ],
  uniq: ['f2 P', 'P', '- P', '-c', '-f 1', '-w1', '--', '-D', '-z', '--group'],
  git: [
    '--output=P',
    '--output P',
    '--outpu=P',
    '--ext-diff',
    '--textconv',
    '-O#',
    '--open-files-in-pager=#',
    '-c core.fsmonitor=#',
    '-c diff.external=#',
    '-p',
    '--paginate',
    '-C sub',
    '--exec-path=.',
    '--git-dir=sub',
    '--upload-pack=#',
    '--no-index',
    '--',
    'HEAD',
    '--stat',
    '-z',
    '--exec=#',
    '-e',
    '--edit',
    '-S',
    '--help',
    '-h',
    '--format=%G?',
    '--show-signature',
    '--submodule=diff',
    '-i',
    '-Of',
    '--ignore-revs-file=f',
    '--contents f',
  ],
  make: [
    '-f evil.mk',
    '-fevil.mk',
    '--file=evil.mk',
    '--makefil evil.mk',
    '-C sub',
    '-Csub',
    '--directory=sub',
    '--eval=x:=$(shell #)',
    "--eval='$(shell #)'",
    'SHELL=./evil',
    "'SHELL = ./evil'",
    "'x=$(shell #)'",
    "'x != #'",
    '-e',
    '-E x',
    '-I sub',
    '-n',
    '-B',
    '-k',
    '-j2',
    '-j',
    '-O',
    '-l',
    '-W f',
    '-o f',
    '-t',
    '--trace',
    '-q',
    '-s',
    '--',
    '-p',
    '-w',
    '-i',
  ],
  tar: [
    '--to-command=#',
    '--to-comm #',
    '-I #',
    '-I#',
    '--use-compress-program=#',
    '--checkpoint=1',
    '--checkpoint-action=exec=#',
    '-C sub',
    '-F #',
    '--rsh-command=#',
    '-x',
    '-c',
    '-O',
    '-v',
    '--wildcards',
    'f',
    '-P',
    '-T f',
    '-X f',
    '--info-script=#',
    '-M',
    '-L1',
    '--index-file=P',
    '--one-top-level',
    '--exclude=f',
    '-z',
    '-j',
    '-J',
    '-a',
    '--zstd',
  ],
  xxd: ['P', 'f P', '-r', '-p', '-s 1', '-i', '-c 4', '-b'],
  diff: ['-l', '--paginate', '--pag', '-u', '-r', '-N', '--from-file=f', '-y', '--color=always', '--'],
  file: ['-C', '-m magic.txt', '--compile', '-f f', '-z', '-b', '-i', '-M', '-P bytes=9'],
  date: ['-s x', '--set=x', '-f f', '-r f', '-u', '-d @1', '--debug'],
  jq: [
    '-f f',
    '-L sub',
    '--args',
    '--arg a b',
    '-n',
    '-r',
    '--slurpfile a f',
    '--rawfile a f',
    '\'import "a" as a; .\'',
    'input',
    'env',
    '$ENV',
  ],
  printf: [
    "-v 'a[$(#)]'",
    "'%d' 'a[$(#)]'",
    "%n 'a[$(#)]'",
    "'%*d' 'path[$(#)]'",
    '-v x',
    '--',
    "'%(%s)T'",
    '%b',
    '%q',
    '%s',
    "'%1$s'",
  ],
  test: [
    "-v 'a[$(#)]'",
    "'a[$(#)]' -eq 1",
    "-t 'path[$(#)]'",
    '-a',
    '-o',
    '!',
    '\\(',
    '\\)',
    "-R 'a[$(#)]'",
    '-n',
    '=~',
    "1 -eq 'a[$(#)]'",
    '-nt',
    '-ef',
  ],
  rg: [
    '--pre=#',
    '--pre #',
    '--hostname-bin=#',
    '-z',
    '--search-zip',
    '-f f',
    '--ignore-file=f',
    '--',
    '-e x',
  ],
  less: ['-oP', '+!#', '-k evil', '--'],
  ls: ['--', '-R', '--color', '*', '**', '--hyperlink', "--time-style='+#'"],
  grep: ['-f f', '-r', '--include=*', '-e x', '--', '-P', '--exclude-from=f', '-d skip'],
  echo: ['-e', '-n', '-E', '*', '"$x"', '$?', '$#', '$$', '$-', '${#x}'],
}

const specialCharacters = [
  ...'\'"`$\\(){}[]<>|&;#!~=*?^%,:@+ \n\t',
  "$'",
  '$"',
  '$(',
  '${',
  '$((',
  '<(',
  '=(',
  '<<<',
  "''",
  '""',
  '\\\n',
  '\u00a0',
  '\u200b',
  '\r',
  '{ ',
  ' }',
  ' ;',
  '[[',
  ']]',
]

const payloads: Record<Aim, readonly string[]> = {
  rules: ['evil', 'evil', './evil', 'touch P', 'ls/evil', 'sh evil.sh', '>P', 'evil x'],
  push: [
    'git push',
    'git push',
    "git pu''sh",
    'git push origin main',
    '/usr/bin/git push',
    'git -C . push',
    '$x push',
    'git $(echo push)',
    'git ${y:-push}',
    'xargs git <push.txt',
  ],
  writes: [
    'echo x >../outside/P',
    'cp f ../outside/P',
    'evil',
    'ln -s ../outside l',
    'echo x >l/P',
    'cd ../outside',
    'tee l/P',
    'mv f2 .git/x',
  ],
  self: [
    'echo x >~/.claude/settings.json',
    'cp f ~/.agenc/config.json',
    'cp f "$HOME/.claude/settings.json"',
    'cd ~/.agenc; echo x >config.json',
    'tee ~/.claude/settings.json <f',
    'mv ~/.agenc x',
    'cp f $x/settings.json',
    'chmod 777 ~/.agenc/config.json',
  ],
}

const attackCorpus: Record<Aim, readonly string[]> = {
  rules: Object.values({ ...attacks, ...unshownAttacks }).flat(),
  push: Object.values({ ...pushAttacks, ...unshownPushAttacks }).flat(),
  writes: Object.values(attacks).flat(),
  self: Object.values(selfAttacks).flat(),
}

/** Commands without `npm`, which takes a third of a second to start. */
const quick = ordinaryCommands.filter(command => !/\bnp[mx]\b|sleep/.test(command))

type Change = (command: string, random: Random, payload: string) => string

function tokensOf(command: string): string[] {
  return command.match(/\s+|[^\s]+/g) ?? []
}

function insertWord(command: string, word: string, random: Random): string {
  const tokens = tokensOf(command)
  tokens.splice(1 + random.below(tokens.length), 0, random.chance(0.8) ? ` ${word} ` : word)
  return tokens.join('')
}

const changes: readonly Change[] = [
  (command, random, payload) =>
    random.chance(0.7)
      ? command + random.pick(separators) + payload
      : payload + random.pick(separators) + command,
  (command, random) => insertWord(command, random.pick(asWords), random),
  (command, random) => insertWord(command, random.pick(asWords), random),
  (command, random) =>
    insertWord(
      command,
      random.pick(redirections) + (random.chance(0.5) ? ' ' : '') + random.pick(targets),
      random,
    ),
  (command, random) =>
    `${random.pick(variables)}=${random.pick(values)}${random.pick([' ', ' ', '; ', '\n'])}${command}`,
  command => command,
  (command, random) => addOption(command, random),
  (command, random) => addOption(command, random),
  (command, random) => random.pick(wholeForms).replaceAll('%', () => command),
  (command, random) => quoteSomething(command, random),
  (command, random) => insertCharacter(command, random),
  (command, random) => insertCharacter(command, random),
  (command, random) => dropSomething(command, random),
  (command, random) => crossOver(command, random.pick([...harmless, ...attackCorpus.rules]), random),
  (command, random) => crossOver(command, random.pick(quick), random),
  (command, random) => command + random.pick(separators) + random.pick(harmless),
  (command, random) => `${random.pick(harmless)} | ${command}`,
]

function addOption(command: string, random: Random): string {
  const program = /\w+/.exec(command)?.[0] ?? ''
  const known = Object.hasOwn(options, program)
    ? options[program]!
    : options[random.pick(Object.keys(options))]!
  return insertWord(command, random.pick(known), random)
}

function quoteSomething(command: string, random: Random): string {
  const tokens = tokensOf(command)
  const at = random.below(tokens.length)
  const [before, after] = random.pick([
    ["'", "'"],
    ['"', '"'],
    ["$'", "'"],
    ['$"', '"'],
    ['\\', ''],
    ['{', ',}'],
    ['', '""'],
    ["''", ''],
  ] as const)
  tokens[at] = before + (tokens[at] ?? '') + after
  return tokens.join('')
}

function insertCharacter(command: string, random: Random): string {
  const at = random.below(command.length + 1)
  return command.slice(0, at) + random.pick(specialCharacters) + command.slice(at)
}

function dropSomething(command: string, random: Random): string {
  const at = random.below(command.length)
  return command.slice(0, at) + command.slice(at + 1 + random.below(3))
}

function crossOver(first: string, second: string, random: Random): string {
  const [left, right] = [tokensOf(first), tokensOf(second)]
  return [
    ...left.slice(0, random.below(left.length + 1)),
    ' ',
    ...right.slice(random.below(right.length)),
  ].join('')
}

const traces: Record<Aim, RegExp> = {
  rules: /evil|touch P|P/,
  writes: /evil|P|outside|\bl\b|\.g/,
  push: /push|\$x/,
  self: /\.[ac]|HOME|~/,
}

/** Makes one command that tries to run more than rules allow, or to push although a rule denies it. */
export function candidate(random: Random, aim: Aim): string {
  const command = mutated(random, aim)
  // A change may have cut the payload off, and then the command could show nothing.
  return traces[aim].test(command) ? command : candidate(random, aim)
}

function mutated(random: Random, aim: Aim): string {
  const payload = random.pick(payloads[aim])
  const start = random.chance(0.35)
    ? random.pick(attackCorpus[aim])
    : random.pick(random.chance(0.8) ? harmless : quick)
  let command = start
  for (let left = 1 + random.below(3); left > 0; left--)
    command = random.pick(changes)(command, random, payload)
  return command.replaceAll('#', () => (random.chance(0.9) ? payload : '#'))
}
