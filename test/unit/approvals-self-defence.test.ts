// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell's
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, objection } from '../../src/approvals/decide.ts'
import type { Request, Rule } from '../../src/approvals/rule.ts'

let home: string
let dir: string

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'self-defence-')))
  dir = join(home, '.agenc/missions/one/agent')
  mkdirSync(join(dir, 'src'), { recursive: true })
  mkdirSync(join(home, '.claude/plans'), { recursive: true })
  mkdirSync(join(home, '.agenc/missions/one/run'))
  symlinkSync('../run', join(dir, 'link'))
  symlinkSync(join(home, '.claude/settings.json'), join(dir, 'dangling'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

function request(tool: string, input: unknown, more: Partial<Request> = {}): Request {
  return { tool, input, dir, cwd: dir, home, ...more }
}

const everything: Rule[] = [{ tool: '*', decision: 'allow' }]

/** The decision in every way to run a tool; they have to agree. */
function decisions(asked: Request, rules: Rule[] = []): string {
  const inAll = decide(asked, rules, 'all').decision
  const byRule = decide(asked, [...everything, ...rules], 'rules').decision
  const inBypass = objection(asked, rules)?.decision ?? 'allow'
  expect([byRule, inBypass]).toEqual([inAll, inAll])
  return inAll
}

const bash = (command: string, rules: Rule[] = [], more: Partial<Request> = {}) =>
  decisions(request('Bash', { command: command.replace(/(?<![${])HOME/g, home) }, more), rules)

describe('files that decide what a mission may do', () => {
  test.each([
    '.agenc/config.json',
    '.agenc/database.sqlite',
    '.agenc/database.sqlite-wal',
    '.agenc/hold',
    '.agenc/missions/one/run/settings-without-denies',
    '.agenc/missions/one/run/ev/1',
    '.agenc/missions/one/prompt',
    '.agenc/missions/two/agent/x',
    '.agenc/missions/one/agent/../run/x',
    '.agenc/missions/one/agent/link/x',
    '.agenc/missions/one/agent/dangling',
    '.agenc/missions/one/agent/.claude/settings.local.json',
    '.agenc/missions/one/agent/src/.claude/settings.json',
    '.claude/settings.json',
    '.claude/agents/x.md',
    '.claude.json',
  ])('a write to %s is asked', path => {
    for (const [tool, field] of [
      ['Write', 'file_path'],
      ['Edit', 'file_path'],
      ['NotebookEdit', 'notebook_path'],
      ['mcp__files__write', 'path'],
    ] as const)
      expect(
        decisions(request(tool, { [field]: join(home, path).replace('agent..', 'agent/..'), content: '' })),
      ).toBe('ask')
    const absolute = `${home}/${path}`
    for (const command of [
      `echo x > ${absolute}`,
      `cp x ${absolute}`,
      `tee ${absolute}`,
      `dd if=x of=${absolute}`,
    ])
      expect(bash(command), command).toBe('ask')
    for (const command of [`sed -i s/a/b/ ~/${path}`, `rm -f '${absolute}'`, `unheard-of --to=${absolute}`])
      expect(bash(command), command).toBe('ask')
  })

  test.each([
    '.agenc/missions/one/agent/x',
    '.agenc/missions/one/agent/src/config.json',
    '.agenc/missions/one/agent/.claude/commands/x.md',
    '.claude/plans/a.md',
    '.claude/projects/x/memory/notes.md',
    'elsewhere/x',
  ])('a write to %s is not', path => {
    expect(decisions(request('Write', { file_path: join(home, path), content: '' }))).toBe('allow')
    expect(bash(`cp x '${join(home, path)}'`)).toBe('allow')
  })

  test.each([
    'cat HOME/.agenc/config.json',
    'ls HOME/.agenc HOME/.claude',
    'grep -r x HOME/.claude',
    'sed -n 1,5p HOME/.claude/settings.json',
    'npm test',
    'npm test "$x"',
    'python3 src/x.py',
    'git status && git add src/x.ts',
    'find . -name x',
    'cp "$x" src/y',
    'python3 - HOME/.agenc/missions/one/agent/src',
  ])('%s is not asked', command => {
    expect(bash(command)).toBe('allow')
  })

  test.each([
    'cp x ../run/settings-without-denies',
    'cp x link/settings-without-denies',
    'mv src/x .claude',
    'git mv a .claude/settings.json',
    'p=~/.agenc; cp x $p/config.json',
    'cd .. && cp x run/y',
    'cd ../../.. && rm config.json',
    'cd link; touch x',
    'mv HOME/.agenc HOME/x',
    'rm -rf HOME',
    'rm -rf ~/',
    'ln -s HOME/.agenc/config.json src/x',
    'ln -sf ../run src/x',
    "python3 -c \"open('HOME/.agenc/config.json', 'w')\"",
    "node -e 'fs.rmSync(process.env.AGENC_DIRPATH)'",
    'echo x > "$AGENC_DIRPATH/config.json"',
    'cp x "$HOME/.claude/settings.json"',
    'cp x ${HOME}/.claude.json',
    'for f in config.json; do cp x ~/.agenc/$f; done',
    "bash -c 'echo x > ~/.agenc/config.json'",
    "sqlite3 HOME/.agenc/database.sqlite 'delete from missions'",
    'tar xf x -C HOME/.agenc',
    'tar xf x -CHOME/.agenc',
    'python3 - HOME/.agenc/missions/one/agent/../run',
    "sh -c 'cd ..; cp a run/b' && cd ../run",
  ])('%s is asked', command => {
    expect(bash(command)).toBe('ask')
  })

  test('the places come with the request', () => {
    const more = {
      agencHome: '/data/agenc',
      claudeDirectory: '/data/claude',
      dir: '/data/agenc/missions/one/agent',
    }
    expect(bash('cp x /data/agenc/config.json', [], more)).toBe('ask')
    expect(bash('cp x /data/agenc/missions/one/agent/x', [], more)).toBe('allow')
    expect(bash('cp x /data/claude/settings.json', [], more)).toBe('ask')
    expect(bash('cp x HOME/.agenc/config.json', [], more)).toBe('allow')
  })

  test('a mission whose directory contains agenc does not own it', () => {
    expect(bash('cp x HOME/.agenc/config.json', [], { dir: home, cwd: home })).toBe('ask')
  })
})

describe('commands that type into windows or widen rights', () => {
  test.each([
    'tmux send-keys -t 1 y Enter',
    'tmux send -t 1 y',
    'tmux sen -t 1 y',
    'tmux -L x send-keys y',
    'tmux -S/tmp/x send y',
    'tmux -f x ls',
    'tmux respawn-pane -k sh',
    'tmux new-window sh',
    'tmux neww sh',
    'tmux run-shell id',
    'tmux if-shell true x',
    'tmux source-file x',
    'tmux pipe-pane id',
    'tmux set-hook -g x y',
    'tmux set -g x y',
    'tmux bind x y',
    'tmux paste-buffer',
    'tmux ls \\; send-keys y',
    "tmux ls ';' send-keys y",
    "tmux display -p '#(id)'",
    'tmux',
    '/usr/bin/tmux send-keys y',
    'env tmux send-keys y',
    "bash -c 'tmux send-keys y'",
    'xargs tmux send-keys',
    'agenc config set approvals.mode all',
    'agenc config edit',
    'agenc hold --release',
    'agenc mission set . --approve all',
    'agenc mission answer . allow',
    'agenc repo trust x',
    'agenc mission new x --approve all',
    'agenc mission new x --approve=all',
    'agenc mission new x --permission-mode bypassPermissions',
    'agenc mission new --dir / x',
    'agenc mission resume x --permission-mode acceptEdits',
    'agenc loop x',
    'agenc send --as user x',
    'agenc mission send 3f2a hello --as user',
    'agenc mission send 3f2a /clear --command',
    'agenc mission send 3f2a --file HOME/.ssh/id_rsa',
    'agenc mission fork x --permission-mode plan',
    'agenc mission new x --may-answer',
    'setsid -f agenc mission new --blank',
    'env -u AGENC_MISSION_UUID agenc new --blank',
    'nohup agenc mission send 3f2a hello',
    'agenc skill install',
    'agenc loop start x --until true',
    'agenc pull x',
    'agenc push x',
    'agenc pr x',
    'agenc host add x',
    'agenc approvals allow ls',
    'agenc doctor --fix',
    'agenc unheard-of',
    'npx agenc config set a b',
    'node bin/agenc.cjs config set a b',
    'timeout 5 agenc config set a b',
    'x=agenc; $x config set a b',
  ])('%s is asked', command => {
    expect(bash(command)).toBe('ask')
  })

  test.each([
    'tmux ls',
    "tmux list-windows -a -F '#{window_name}'",
    'tmux capture-pane -p -t 1',
    'agenc status',
    'agenc mission ls --json',
    'agenc mission show .',
    'agenc mission new owner/name --prompt "do it" --no-focus',
    'agenc mission stop x',
    'agenc new owner/name --headless --prompt "do it" --timeout 30m',
    'agenc mission new --blank --detach',
    'agenc mission fork . --prompt "try it"',
    'agenc mission send 3f2a "and the docs" --wait',
    'agenc mission wait 3f2a 81bc --timeout 30m',
    'timeout 60 agenc mission wait 3f2a',
    'agenc mission print 3f2a --last',
    'agenc mission diff 3f2a --stat',
    'agenc mission interrupt 3f2a',
    'agenc prime',
    'agenc config get approvals.mode',
    'agenc approvals test "git push"',
    'agenc doctor',
    'echo agenc config set a b',
    'grep -r tmux src',
    'brew install tmux',
  ])('%s is not', command => {
    expect(bash(command)).toBe('allow')
  })
})

describe("a user's rule that names it allows it", () => {
  const allow = (tool: string, match: string): Rule[] => [
    { tool, match: match.replaceAll('HOME', home), decision: 'allow' },
  ]

  test('a command without wildcards', () => {
    expect(bash('tmux send-keys -t 1 y', allow('Bash', 'tmux send-keys -t 1 y'))).toBe('allow')
    expect(bash('cp x HOME/.agenc/config.json', allow('Bash', 'cp x HOME/.agenc/config.json'))).toBe('allow')
    for (const match of ['tmux *', '*', 'tmux send-keys *', 'tmux send-keys -t 1 ?'])
      expect(bash('tmux send-keys -t 1 y', allow('Bash', match))).toBe('ask')
  })

  test('a path in the guarded place', () => {
    const write = (path: string, match: string) =>
      decisions(request('Write', { file_path: join(home, path), content: '' }), allow('Write', match))
    expect(write('.claude/agents/x.md', 'HOME/.claude/agents/**')).toBe('allow')
    expect(write('.claude/agents/x.md', '~/.claude/agents/*.md')).toBe('allow')
    expect(write('.claude/settings.json', 'HOME/.claude/agents/**')).toBe('ask')
    expect(write('.claude/settings.json', 'HOME/**')).toBe('ask')
    expect(write('.claude/settings.json', '/**')).toBe('ask')
  })
})
