import { describe, expect, test } from 'vitest'
import { decide, objection } from '../../src/approvals/decide.ts'
import type { Decision, Request, Rule } from '../../src/approvals/rule.ts'
import { type Approve, approveModes } from '../../src/config/approve-modes.ts'

const dir = '/mission/agent'
const asGiven = (path: string) => path

function rule(tool: string, match: string | undefined, decision: Decision = 'allow', message?: string): Rule {
  return { tool, match, decision, message }
}

function request(tool: string, input: unknown, cwd = dir): Request {
  return { tool, input, dir, cwd, home: '/home/me' }
}

function bash(command: string, patterns: (string | Rule)[], mode: Approve = 'rules', cwd = dir) {
  const rules = patterns.map(pattern => (typeof pattern === 'string' ? rule('Bash', pattern) : pattern))
  return decide(request('Bash', { command }, cwd), rules, mode, asGiven)
}

describe('order of decisions', () => {
  const rules = [
    rule('Bash', 'git *'),
    rule('Bash', 'git push*', 'ask'),
    rule('Bash', 'git push -f*', 'deny', 'no'),
  ]

  test.each<[string, Decision, number | null]>([
    ['git status', 'allow', 0],
    ['git push', 'ask', 1],
    ['git push -f', 'deny', 2],
    ['git push && git push -f', 'deny', 2],
    ['git status && git push', 'ask', 1],
    ['make', 'ask', null],
  ])('%s: %s by rule %s', (command, decision, index) => {
    expect(bash(command, rules)).toMatchObject({ decision, rule: index })
  })

  test('does not depend on the order of the rules', () => {
    expect(bash('git push -f', rules.toReversed())).toMatchObject({
      decision: 'deny',
      rule: 0,
      message: 'no',
    })
  })

  test('approve mode all allows everything unless a rule denies it or says to ask', () => {
    expect(bash('make && foo "$x"', [], 'all').decision).toBe('allow')
    expect(bash('git push', rules, 'all').decision).toBe('ask')
    expect(bash('git push -f', rules, 'all').decision).toBe('deny')
  })

  test('approve mode ask applies deny rules only', () => {
    expect(bash('git status', rules, 'ask')).toMatchObject({ decision: 'ask', rule: null })
    expect(bash('git push -f', rules, 'ask').decision).toBe('deny')
    expect(bash('git status', rules, 'nonsense' as Approve).decision).toBe('ask')
  })

  test('every part gets its own verdict', () => {
    expect(bash('git status | head; git push', rules).parts).toEqual([
      { text: 'git status', decision: 'allow', rule: 0 },
      { text: 'head', decision: 'ask', rule: null },
      { text: 'git push', decision: 'ask', rule: 1 },
    ])
  })

  test('objection reports deny rules and ignores the others', () => {
    expect(objection(request('Bash', { command: 'git push -f' }), rules, asGiven)).toMatchObject({
      message: 'no',
    })
    expect(objection(request('Bash', { command: 'git push' }), rules, asGiven)).toBeNull()
    expect(objection(request('Bash', { command: 'git status' }), rules, asGiven)).toBeNull()
  })
})

describe('globs over commands', () => {
  test.each([
    ['git status*', 'git status'],
    ['git status*', 'git status -s'],
    ['git *', 'git'],
    ['  git   status ', 'git status'],
    ['ls ?', 'ls a'],
    ['echo \\*', "echo '*'"],
    ['cat *.md', 'cat a.md b.md'],
    ['*', 'make all'],
    ['git commit -m *', 'git commit -m "a b"'],
    ['ls {dir}/*', 'ls /mission/agent/src'],
    ['ls*', 'ls -la'],
    ['ls*', 'ls'],
    ['cp {dir}/*', 'cp /mission/agent/a b'],
    ['{dir}/scripts/x y', '/mission/agent/scripts/x y'],
    ['timeout 30 npm test', 'timeout 30 npm test'],
    ['npm test', 'timeout 30 npm test'],
    ['grep *', 'xargs -0 grep foo'],
    ['ls {dir}/*', 'ls /mission/agent/src -la x ../agent/y'],
  ])('%j covers %j', (pattern, command) => {
    expect(bash(command, [pattern]).decision).toBe('allow')
  })

  test.each([
    ['git', 'git status'],
    ['ls*', 'ls/evil'],
    ['ls*', 'lsof'],
    ['l*', 'ls'],
    ['?s', 'ls'],
    ['*s', 'ls'],
    ['git*', 'git-upload-pack x'],
    ['sort *', 'xargs sort'],
    ['npm run *', 'npm run test -prefix=/evil'],
    ['npm run *', 'npm run test -- --config=x'],
    ['npm run *', 'npm run -prefix /evil'],
    ['make *', 'make test "SHELL = ./evil"'],
    ['make *', 'make test SHELL=./evil'],
    ['make *', 'make -fevil.mk'],
    ['make *', 'make --eval=x'],
    ['make *', 'make -j SHELL=./evil'],
    ['make *', 'make .SHELLFLAGS:=x'],
    ['sed -n *', "sed -n -l 5p '1e touch P' f"],
    ['sed -n *', "sed -n -l5 '1e touch P' f"],
    ['sed -n *', "sed -n --expr='1e touch P' f"],
    ['sed -n *', "sed -n -e 1p -e '1e touch P' f"],
    ['sed -n *', "sed -n '1p;1e touch P' f"],
    ['sed -n *', "sed -n 's/a/b/;w x' f"],
    ['sed -n *', "sed -n 's/[/]/e;/' f"],
    ['sed -n *', 'sed -n s* f'],
    ['pytest *', 'pytest @args'],
    ['pytest *', 'pytest -p evil'],
    ['pytest *', 'pytest --rootd=/evil'],
    ['vitest *', 'vitest -t --config=evil.ts'],
    ['go *', 'go test --exec=./evil'],
    ['go *', 'go test -vet=off -toolexec ./evil'],
    ['cargo *', 'cargo clippy -- -C linker=./evil'],
    ['tsc *', 'tsc @args'],
    ['awk *', 'awk -f x y'],
    ['awk *', `awk '{ print $1 }' -v x=y`],
    ['rg *', 'rg --pre=./evil x'],
    ['rg *', 'rg --pr ./evil x'],
    ['find *', 'find . -fprintf x y'],
    ['tar *', 'tar tf x --to-command=id'],
    ['tar *', 'tar tf evil:x'],
    ['jest *', 'jest -tcevil.js'],
    ['git status', 'git status -s'],
    ['GIT *', 'git status'],
    ['ls ?', 'ls ab'],
    ['npm run *', 'npm "run x"'],
    ['npm run build', 'npm "run build"'],
    ['echo \\*', 'echo x'],
    ['*', 'git -c a=b log'],
    ['*', 'A=b make'],
    ['*', 'sudo make'],
    ['*', 'x=1'],
    ['ls {dir}/*', 'ls /mission/agent/../x'],
    ['ls {dir}/*', 'ls /mission/agent/$x'],
    ['ls {dir}*', 'ls /mission/agent-2'],
    ['dd if=* of={dir}/*', 'dd if=a of=/mission/agent/../../home/me/.bashrc'],
    ['dd of={dir}/* if=*', 'dd of=/mission/agent/x if=..'],
    ['curl -d @{dir}/*', 'curl -d @/mission/agent/../../etc/passwd'],
    ['make DESTDIR={dir}/*', 'make DESTDIR=/mission/agent/../x'],
    ['scp {dir}/* build:', 'scp /mission/agent/x a:../../x build:'],
    ['cat {dir}/*', 'cat /mission/agent/x a,/etc/passwd'],
    ['cat {dir}/*', 'cat /mission/agent/x file:///etc/passwd'],
    ['gcc -I{dir}/*', 'gcc -I/mission/agent/x -I..'],
    ['{dir}/scripts/*', '/mission/agent/scripts/../../x'],
    ['./scripts/*', './scripts/../../x'],
  ])('%j does not cover %j', (pattern, command) => {
    expect(bash(command, [pattern]).decision).toBe('ask')
  })
})

describe('what is not known to be harmless', () => {
  test.each([
    'git -c core.pager=cat log',
    'git log --output=x',
    'git rebase -x make main',
    'git config user.name me',
    'git st',
    'git lfs pull',
    'FOO=1 make',
    'CI=1 NODE_ENV=test npm test',
    'make CC=gcc',
    'sort -o x y',
    'npm --prefix web test',
    'node scripts/build.js --port 1',
    'git push fork main',
    'ssh build uptime',
    'docker run x',
    'source .venv/bin/activate',
    'bash x.sh',
    './gradlew test',
    'bin/../x',
    '/usr/bin/git status',
    'sudo systemctl restart x',
    'curl -o x https://example.com',
    'dd if=a of=b',
    'foo',
  ])('%j is covered by the same text, and by no wildcard', command => {
    expect(bash(command, [command]).decision).toBe('allow')
    const [program] = command.split(' ')
    for (const pattern of [
      `${command}*`,
      `${command} *`,
      `${program} *`,
      `${program}*`,
      '*',
      `${command.slice(0, -1)}?`,
    ])
      expect(bash(command, [pattern]).decision, pattern).toBe('ask')
  })

  test('a literal rule does not cover input that the program might run', () => {
    expect(bash('node', ['node']).decision).toBe('allow')
    for (const command of ['echo x | node', 'node < x', "node <<'EOF'\nx\nEOF", 'echo x | timeout 5 node'])
      expect(bash(command, ['node', 'echo *']).decision).toBe('ask')
    expect(bash('node < /dev/null', ['node']).decision).toBe('allow')
  })

  test.each([
    ['git log --output=a *', 'git log --output=a --output=b'],
    ['sort -o *', 'sort -o x -o y'],
    ['git -c user.name=* *', 'git -c user.name=x -c core.pager=id log'],
    ['git config user.*', 'git config user.name x'],
    ['FOO=* make', 'FOO=1 BAR=2 make'],
    ['FOO=* *', 'FOO=1 PATH=/evil make'],
    ['make *', 'make SHELL=/evil'],
    ['make *', 'make -f evil.mk'],
    ['sudo *', 'sudo rm x'],
    ['sudo -u *', 'sudo -u root rm x'],
    ['xargs *', 'xargs rm'],
    ['find *', 'find . -delete'],
    ['find *', 'find . -exec rm {} +'],
    ['find * -exec *', 'find . -exec rm {} +'],
    ['env *', 'env rm x'],
    ['ssh *', 'ssh build rm x'],
    ['npx *', 'npx evil'],
    ['watch *', 'watch rm x'],
    ['bash *', 'bash -c "rm x"'],
    ['bash *', 'bash --rcfile a -c "rm x"'],
    ['sort *', 'sort --outp=x y'],
    ['sort *', 'sort -uo x y'],
    ['sort *', 'sort --compress-program=id x'],
    ['tar *', 'tar xf x --to-command=id'],
    ['tar *', 'tar --checkpoint-action=exec=id xf x'],
    ['tar *', 'tar xIf id x'],
    ['tar *', 'tar -C / -xf x'],
    ['curl *', 'curl -sSo /etc/x https://e'],
    ['curl *', 'curl -O https://e'],
    ['curl *', 'curl -K x'],
    ['wget *', 'wget -O /etc/x https://e'],
    ['wget *', 'wget --use-askpass=id https://e'],
    ['sed *', 'sed -i s/a/b/ x'],
    ['sed *', 'sed s/a/id/e x'],
    ['sed *', "sed 's/a/b/w /etc/x' x"],
    ['sed *', "sed -n '1e id' x"],
    ['sed *', "sed -e p -e '1w x' y"],
    ['sed *', "sed --expression='w x' y"],
    ['sed *', 'sed -f x y'],
    ['awk *', `awk 'BEGIN { system("id") }'`],
    ['awk *', `awk '{ print | "id" }' x`],
    ['awk *', `awk '{ print > "/etc/x" }' x`],
    ['awk *', 'awk -f x'],
    ['rsync *', "rsync -e 'sh -c id' a b:"],
    ['rsync *', 'rsync --rsync-path=id a b:'],
    ['npm *', 'npm --script-shell=./x test'],
    ['npm *', 'npm exec evil'],
    ['node *', 'node -e "x"'],
    ['node *', 'node --require ./x y.js'],
    ['node *', 'node --eval=x'],
    ['node *', 'node --ev x'],
    ['python3 *', 'python3 -c x'],
    ['python3 *', 'python3.12 -c x'],
    ['python *', 'cat x | python -'],
    ['perl *', 'perl -ne x'],
    ['ruby *', 'ruby -e x'],
    ['php *', 'php -r x'],
    ['rg *', 'rg --pre id x'],
    ['fd *', 'fd -x id'],
    ['tree *', 'tree -o x'],
    ['uniq *', 'uniq a b'],
    ['dd *', 'dd if=a of=b'],
    ['date *', 'date -s x'],
    ['vim *', "vim -c '!id' x"],
    ['man *', 'man -P id ls'],
    ['go *', 'go test -exec id'],
    ['go *', 'go vet -vettool=id'],
    ['cargo *', 'cargo --config x build'],
    ['pip *', 'pip install evil'],
    ['zip *', 'zip x y -T --unzip-command id'],
    ['split *', 'split --filter=id x'],
    ['sqlite3 *', "sqlite3 x '.shell id'"],
    ['openssl *', 'openssl enc -out x'],
    ['foo *', 'foo --exec=id'],
    ['foo *', 'foo --output x'],
    ['export *', 'export PATH=/evil'],
    ['test *', "test -v 'a[$(id)]'"],
    ['printf *', "printf -v 'a[$(id)]' x"],
    ['printf *', "printf %d 'path[$(id)]'"],
    ['printf *', "printf -- '%s%*s' a f b"],
    ['printf *', "for f in 'path[$(id)]'; do printf '%s %5d' x f; done"],
    ['test *', "test -t 'path[$(id)]'"],
    ['exit *', "exit 'path[$(id)]'"],
    ['cat', 'cat x'],
    ['node', 'echo x | node'],
    ['node', 'echo x | bash -c node'],
    ['node', 'echo x | eval node'],
    ['node', 'echo x | echo $(node)'],
    ['sqlite3 *', 'echo .shell id | sqlite3 x.db'],
    ['psql *', "psql mine <<'EOF'\n\\! id\nEOF"],
    ['xargs *', 'xargs --replace ./evil cat'],
    ['xargs *', 'xargs --max-lines ./evil cat'],
    ['trap *', "trap 'rm x' EXIT"],
    ['alias *', "alias cat='rm'"],
  ])('%j does not cover %j', (pattern, command) => {
    expect(bash(command, [pattern, 'echo *', 'cat *']).decision).toBe(pattern === 'cat' ? 'allow' : 'ask')
  })

  test.each([
    ['sed *', "sed -n '1,20p' x"],
    ['sed *', 'sed s/a/b/g x'],
    ['sed *', "sed -E 's|a|b|' x"],
    ['awk *', "awk '{ print $1 }' x"],
    ['find *', "find . -name '*.ts' -type f"],
    ['sort *', 'sort -u x'],
    ['tar *', 'tar tf x'],
    ['curl *', 'curl -sS https://e'],
    ['make *', 'make -j4 test'],
    ['cat *', 'cat "$x"'],
    ['printf *', "printf '%-10s%% %b\\n' 'a[1]' b"],
    ['printf *', "printf '%d of %s' 1 2"],
    ['exit *', 'exit 1'],
  ])('%j covers %j', (pattern, command) => {
    expect(bash(command, [pattern]).decision).toBe('allow')
  })

  test.each([
    'find . -exec curl + -o /etc/x https://e \\;',
    'find . -exec curl {} x + -o /etc/x \\;',
    'find . -ok curl {} + -o /etc/x \\;',
    'find . -exec curl + \\; -exec rm {} +',
    'echo x | find . -exec node \\;',
  ])('asks about commands hidden in find: %s', command => {
    const rules = ['find * -exec * *', 'find * -ok *', 'curl *', 'node', 'echo *']
    expect(bash(command, rules).decision).toBe('ask')
  })

  test('a rule without match covers every use of the tool', () => {
    const always = rule('Bash', undefined)
    expect(bash('A=b make | tee "$x"', [always]).decision).toBe('allow')
    expect(bash('curl x | sudo sh', [always]).decision).toBe('ask')
    expect(bash('git $x', [always, rule('Bash', 'git push*', 'deny')]).decision).toBe('ask')
  })
})

describe('the directory a command runs in', () => {
  test.each([
    ['git status', dir, 'allow'],
    ['git status', `${dir}/sub`, 'ask'],
    ['git status', '/elsewhere', 'ask'],
    ['make', `${dir}/sub`, 'allow'],
    ['make', '/elsewhere', 'ask'],
    ['make', '/mission/agent-2', 'ask'],
    ['ls', '/elsewhere', 'allow'],
    ['cd sub && make', dir, 'allow'],
    ['cd sub && git status', dir, 'ask'],
    [`cd ${dir} && git status`, dir, 'allow'],
    ['cd .. && make', dir, 'ask'],
    ['cd /elsewhere && make', dir, 'ask'],
    ['cd && make', dir, 'ask'],
    ['cd - && make', dir, 'ask'],
    ['cd $x && make', dir, 'ask'],
    ['cd ~ && make', dir, 'ask'],
    ['cd +1 && make', dir, 'ask'],
    ['cd sub; cd ..; make', dir, 'ask'],
    ['cd sub || cd ..; make', dir, 'ask'],
    ['(cd sub); cd ..; make', dir, 'ask'],
    ['cd sub; cd deeper; make', dir, 'allow'],
    [`${'cd a; '.repeat(100)}make`, dir, 'ask'],
    ['for i in a b; do git status; cd /evil; done', dir, 'ask'],
    ['for i in a b; do git status; pushd /evil; done', dir, 'ask'],
    ['for i in a b; do make; cd ..; done', dir, 'ask'],
    ['for i in a b; do { ls; make; } | ls; cd $i; done', dir, 'ask'],
    ['for i in a b; do eval git status; cd /evil; done', dir, 'ask'],
    ["for i in a b; do eval 'git status; cd /evil'; done", dir, 'ask'],
    ['for i in a b; do command git status; command cd /evil; done', dir, 'ask'],
    ['for i in a b; do for f in c; do git status; done; cd /evil; done', dir, 'ask'],
    ['while git status; do cd /evil; done', dir, 'ask'],
    ['until git status; do cd /evil; done', dir, 'ask'],
    ['while ls; do git status; if ls; then cd /evil; fi; done', dir, 'ask'],
    ['for i in a b; do git status; done', dir, 'ask'],
    ['git status; for i in a b; do cd /elsewhere; ls; done', dir, 'ask'],
    [`for i in a b; do git status; cd ${dir}; done`, dir, 'ask'],
    ['cd sub; for i in a b; do make; done', dir, 'ask'],
    ['find . -execdir git status \\;', dir, 'ask'],
    ['find . -execdir ls \\;', dir, 'ask'],
  ])('%j in %s: %s', (command, cwd, decision) => {
    const resolved = (path: string) => new URL(`file://${path}`).pathname.replace(/(.)\/$/, '$1')
    const rules = ['git *', 'make', 'ls', 'cd', 'cd *', 'pushd *', 'find * -execdir *'].map(match =>
      rule('Bash', match),
    )
    expect(decide(request('Bash', { command }, cwd), rules, 'rules', resolved).decision).toBe(decision)
  })

  test('a command outside the sandbox is not allowed by a glob', () => {
    const input = { command: 'git status', dangerouslyDisableSandbox: true }
    expect(decide(request('Bash', input), [rule('Bash', 'git *')], 'rules', asGiven).decision).toBe('ask')
  })
})

describe('other tools', () => {
  const web = (url: string, match: string, decision: Decision = 'allow') =>
    decide(request('WebFetch', { url }), [rule('WebFetch', match, decision)], 'rules', asGiven).decision

  test.each([
    ['https://docs.rs/x', 'https://docs.rs/*'],
    ['https://docs.rs/x?y', 'docs.rs'],
    ['https://DOCS.rs/x', 'https://docs.rs/*'],
    ['https://a.github.io/x', 'https://*.github.io/*'],
    ['https://docs.rs./x', 'docs.rs'],
    ['https://xn--bcher-kva.example/x', 'bücher.example'],
  ])('%s is covered by %s', (url, match) => {
    expect(web(url, match)).toBe('allow')
  })

  test.each([
    ['https://docs.rs@evil.example/', 'https://docs.rs*'],
    ['https://docs.rs:x@evil.example/', 'https://docs.rs*'],
    ['https://docs.rs.evil.example/', 'https://docs.rs/*'],
    ['https://evil.example/a.github.io/x', 'https://*.github.io/*'],
    ['https://evil.example\\@docs.rs/', 'https://docs.rs/*'],
    ['http://docs.rs/', 'https://docs.rs/*'],
    ['https://docs.rs:8443/', 'https://docs.rs/*'],
    ['https://docs.rs/%61', 'https://docs.rs/a'],
    ['https://docs.rs/a/../b', 'https://docs.rs/a/*'],
    ['file:///etc/passwd', '*'],
    ['nonsense', '*'],
  ])('%s is not covered by %s', (url, match) => {
    expect(web(url, match)).toBe('ask')
  })

  test('a deny rule recognises every spelling of a URL', () => {
    expect(web('https://EVIL.example/x', 'evil.example', 'deny')).toBe('deny')
    expect(web('https://evil.example:443/x', 'https://evil.example/*', 'deny')).toBe('deny')
    expect(web('https://evil.example./x', 'evil.example', 'deny')).toBe('deny')
    expect(web('https://evil.example.:8443/x', 'evil.example', 'deny')).toBe('deny')
    expect(web('https://evil.example/x', 'evil.example.', 'deny')).toBe('deny')
    expect(web('http://evil.example/x', 'https://evil.example/*', 'deny')).toBe('deny')
    expect(web('https://evil.example/%73ecret', 'evil.example/secret', 'deny')).toBe('deny')
    expect(web('https://evil.example//secret', 'evil.example/secret', 'deny')).toBe('deny')
    expect(web('https://evil.example/%zz', 'evil.example', 'deny')).toBe('deny')
    expect(web('https://bücher.example/x', 'bücher.example', 'deny')).toBe('deny')
  })

  test('a glob names tools of MCP servers, and match never allows one', () => {
    const rules = [rule('mcp__github__*', undefined), rule('mcp__github__delete*', undefined, 'deny')]
    const tool = (name: string) => decide(request(name, { x: 1 }), rules, 'rules', asGiven).decision
    expect(tool('mcp__github__get_issue')).toBe('allow')
    expect(tool('mcp__github__delete_repo')).toBe('deny')
    expect(tool('mcp__other__x')).toBe('ask')
    expect(decide(request('mcp__x__y', {}), [rule('mcp__x__y', 'z')], 'rules', asGiven).decision).toBe('ask')
    expect(decide(request('mcp__x__y', {}), [rule('mcp__x__y', 'z', 'deny')], 'all', asGiven).decision).toBe(
      'ask',
    )
  })

  test('one rule can name several tools, and match is compared with the known field', () => {
    const rules = [rule('Task|Agent', 'Explore')]
    expect(decide(request('Task', { subagent_type: 'Explore' }), rules, 'rules', asGiven).decision).toBe(
      'allow',
    )
    expect(decide(request('Agent', { subagent_type: 'x' }), rules, 'rules', asGiven).decision).toBe('ask')
  })

  test.each(['AskUserQuestion', 'ExitPlanMode'])('%s is never answered by a rule', tool => {
    for (const decision of ['allow', 'deny'] as const) {
      for (const mode of approveModes) {
        expect(decide(request(tool, {}), [rule('*', undefined, decision)], mode, asGiven).decision).toBe(
          'ask',
        )
      }
      expect(objection(request(tool, {}), [rule('*', undefined, decision)], asGiven)).toBeNull()
    }
  })
})

describe('tools that work like Bash or Write', () => {
  const noPush = rule('Bash', 'git push*', 'deny')
  const of = (tool: string, input: unknown, rules: Rule[], mode: Approve = 'rules') =>
    decide(request(tool, input), rules, mode, asGiven).decision

  test.each<[string, unknown]>([
    ['Monitor', { command: 'git push' }],
    ['Monitor', { command: ['git', 'push'] }],
    ['Monitor', { command: ['bash', '-lc', 'git push'] }],
    ['Anything', { command: 'ls && git push', path: 'x' }],
    ['mcp__shell__run', { cmd: 'git push' }],
    ['mcp__shell__run', { commands: ['ls', 'cd x && git push'] }],
  ])('a deny rule for Bash applies to %s %j', (tool, input) => {
    for (const mode of approveModes) expect(of(tool, input, [noPush], mode)).toBe('deny')
    expect(objection(request(tool, input), [noPush], asGiven)?.decision).toBe('deny')
  })

  test.each<[string, unknown]>([
    ['Edit', { file_path: 'secrets/a', new_string: 'x' }],
    ['NotebookEdit', { notebook_path: 'secrets/a' }],
    ['Anything', { file_path: 'secrets/a', content: 'x' }],
    ['mcp__files__move', { source: 'a', destination: 'secrets/a' }],
    ['str_replace_based_edit_tool', { command: 'create', path: '/mission/agent/secrets/a', file_text: 'x' }],
  ])('a deny rule for Write applies to %s %j', (tool, input) => {
    const rules = [rule('Write', '{dir}/secrets/**', 'deny')]
    for (const mode of approveModes) expect(of(tool, input, rules, mode)).toBe('deny')
  })

  test('allow rules for Bash cover tools of Claude that carry a command, but no tools of MCP servers', () => {
    const rules = [rule('Bash', 'ls *')]
    expect(of('Monitor', { command: 'ls -la' }, rules)).toBe('allow')
    expect(of('Monitor', { command: 'ls; id' }, rules)).toBe('ask')
    expect(of('mcp__ssh__run', { command: 'ls -la' }, rules)).toBe('ask')
    expect(of('mcp__ssh__run', { command: 'ls -la' }, [rule('mcp__ssh__run', 'ls *')])).toBe('allow')
  })

  test('allow rules for Write cover no other tool', () => {
    const rules = [rule('Write', '{dir}/**')]
    for (const tool of ['Edit', 'Anything'])
      expect(of(tool, { file_path: '/mission/agent/x', content: '' }, rules)).toBe('ask')
  })

  test('other unknown tools are asked unless a rule names them, and allowed by approve mode all', () => {
    expect(of('Anything', { x: 1 }, [])).toBe('ask')
    expect(of('Anything', { x: 1 }, [rule('Anything', undefined)])).toBe('allow')
    expect(of('Anything', { x: 1 }, [], 'all')).toBe('allow')
    expect(of('Anything', { x: 1 }, [rule('Any*', undefined, 'deny')], 'all')).toBe('deny')
  })
})

describe('options of a denied command', () => {
  test.each([
    ['rm -rf*', 'rm -fr x'],
    ['rm -rf*', 'rm -r -f x'],
    ['rm -rf*', 'rm x -rf'],
    ['rm -rf*', 'rm -R -f x'],
    ['rm -rf*', 'rm --recursive --force x'],
    ['git push --force*', 'git push -f'],
    ['git push --force*', 'git push origin main --force'],
    ['git push -f*', 'git push -uf origin x'],
    ['npm publish*', 'npm --silent publish'],
    ['npm run deploy*', 'npm run --silent deploy'],
  ])('%j does not let %j pass', (pattern, command) => {
    expect(bash(command, [rule('Bash', pattern, 'deny')], 'all').decision).not.toBe('allow')
  })

  test.each([
    ['rm -rf*', 'rm -r x'],
    ['rm -rf*', 'rm x'],
    ['git push --force*', 'git push -u origin x'],
    ['rm *', 'npm run format'],
  ])('%j lets %j pass', (pattern, command) => {
    expect(bash(command, [rule('Bash', pattern, 'deny')], 'all').decision).toBe('allow')
  })
})

describe('every failure asks the user', () => {
  const broken = [
    { decision: 'allow' },
    { tool: 'Bash', match: 7, decision: 'deny' },
    null,
  ] as unknown as Rule[]

  test.each([
    ['no input', request('Bash', undefined)],
    ['no command', request('Bash', { command: 7 })],
    ['no path', request('Write', {})],
    ['no url', request('WebFetch', null)],
    ['no tool', request(undefined as unknown as string, {})],
  ])('%s', (_, asked) => {
    expect(decide(asked, [rule('*', '*'), rule('Bash', '*')], 'rules', asGiven).decision).toBe('ask')
  })

  test('a malformed rule asks, and does not disable deny rules', () => {
    expect(bash('ls', ['ls', ...broken]).decision).toBe('ask')
    expect(bash('ls', ['ls', ...broken], 'all').decision).toBe('ask')
    const rules = [...broken, rule('Bash', 'ls', 'deny')]
    expect(objection(request('Bash', { command: 'ls' }), rules, asGiven)?.decision).toBe('deny')
  })

  test('asks if a path cannot be resolved', () => {
    const fails = () => {
      throw new Error('EACCES')
    }
    const verdict = decide(
      request('Write', { file_path: '/mission/agent/x' }),
      [rule('Write', '{dir}/**')],
      'rules',
      fails,
    )
    expect(verdict).toMatchObject({ decision: 'ask', reason: expect.stringContaining('EACCES') })
  })
})
