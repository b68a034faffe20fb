import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contrast } from '../helpers/contrast.ts'
import { pretendMission } from '../helpers/mission-windows.ts'
import { needPrograms } from '../helpers/needs.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const readable = 4.5

function lineOf(terminal: Terminal): string {
  return terminal
    .lastRow()
    .map(({ text }) => text || ' ')
    .join('')
}

async function waitForLine(terminal: Terminal, ...parts: (string | RegExp)[]): Promise<string> {
  const has = (line: string, part: string | RegExp) =>
    typeof part === 'string' ? line.includes(part) : part.test(line)
  const isThere = () => parts.every(part => has(lineOf(terminal), part))
  await waitFor(`${parts.join(' and ')} in the status line`, isThere).catch(error => {
    throw new Error(`${error.message}\n${lineOf(terminal)}`)
  })
  return lineOf(terminal)
}

/** One window in each state. The real mission is in front. */
async function everyState(box: SessionBox): Promise<void> {
  await box.start()
  pretendMission(box, { name: 'asks', state: 'waiting' })
  pretendMission(box, { name: 'works', state: 'busy' })
  pretendMission(box, { name: 'finished', isDone: true })
  pretendMission(box, { name: 'dead', state: 'crashed' })
  pretendMission(box, { name: 'sleeps', state: 'asleep' })
  pretendMission(box, { name: 'rests' })
}

/** The stock tmux, and settings that are made for another background. */
const configs = [
  '',
  'set -g status-style bg=white,fg=black\nset -g status-bg white\nset -g status-fg black\n' +
    'setw -g window-status-style fg=black\nsetw -g window-status-current-style bg=red\n' +
    'setw -g window-status-last-style fg=green\nset -g status-left-style fg=green\nset -g status-right-style fg=green\n',
]

test.for(configs)('with 256 colours, everything in the line is readable (tmux.conf: %j)', async tmuxConf => {
  const box = sessionBox({ tmuxConf })
  await everyState(box)
  box.agenc(['hold'])
  const terminal = box.attach({ columns: 160 })
  const signs = ['·(blank)', '?asks', '●works', '✓finished', '✗dead', 'zsleeps', '·rests']
  await waitForLine(terminal, ...signs, '1 waiting', 'HOLD')
  const check = () => {
    for (const { foreground, background, text } of terminal.lastRow()) {
      expect(background, text).not.toBeNull()
      expect(contrast(foreground!, background!), text).toBeGreaterThanOrEqual(readable)
    }
  }
  check()
  for (const window of box.windows().slice(1)) {
    box.tmux('select-window', '-t', window.id)
    await waitFor('the window to be in front', () => {
      const at = lineOf(terminal).indexOf(window.name.slice(9))
      return at > 0 && terminal.lastRow()[at]!.isReverse
    })
    check()
  }
  terminal.type('\u0002a')
  await waitForLine(terminal, 'n new')
  check()
  box.tmux('display-message', '-c', box.tmux('list-clients', '-F', '#{client_name}').trim(), 'a message')
  await waitForLine(terminal, 'a message')
  for (const { foreground, background, isReverse } of terminal.lastRow())
    expect([foreground, background, isReverse]).toEqual([null, null, true])
})

const sixteen = `xterm-sixteen|xterm with 16 colours,
	colors#16, pairs#256,
	setaf=\\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%;m,
	setab=\\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%;m,
	use=xterm,
`

test.for([
  ['16', 'xterm-sixteen'],
  ['8', 'xterm'],
  ['no', 'vt100'],
] as const)(
  'with %s colours, the line uses only the two colours of the terminal',
  async ([, term], context) => {
    needPrograms(context, 'tic')
    const box = sessionBox()
    const terminfo = join(box.root, 'terminfo')
    const compiled = spawnSync('tic', ['-x', '-o', terminfo, '-'], { input: sixteen, env: box.env })
    expect(compiled.status).toBe(0)
    await everyState(box)
    box.agenc(['hold'])
    const env = { ...box.env, TERMINFO_DIRS: `${terminfo}:` }
    const terminal = openTerminal('env', [`TERM=${term}`, 'tmux', '-u', 'attach-session', '-t', '=agenc'], {
      env,
      columns: 160,
    })
    const line = await waitForLine(terminal, '?asks', '●works', '✓finished', '✗dead', 'HOLD')
    const row = terminal.lastRow()
    for (const { foreground, background } of row) expect([foreground, background]).toEqual([null, null])
    const at = (text: string) => row[line.indexOf(text)]!
    expect([at('(blank)').isReverse, at('works').isReverse, at('HOLD').isReverse]).toEqual([
      false,
      true,
      false,
    ])
    expect([at('asks').isBold, at('works').isBold]).toEqual([true, false])
  },
)

test('a terminal without UTF-8 gets ASCII signs', async () => {
  const box = sessionBox()
  await everyState(box)
  const terminal = box.attach({ columns: 160, env: { LC_ALL: 'C', LANG: 'C' } })
  await waitForLine(terminal, '.(blank)', '?asks', '@works', 'vfinished', 'xdead', 'zsleeps', '.rests')
})

test('the line draws name or repo, and the short id only if two would read the same', async () => {
  const box = sessionBox()
  const first = await box.start()
  const ids = [
    pretendMission(box, { repo: 'local/src/shop' }),
    pretendMission(box, { repo: 'github.com/acme/shop' }),
    pretendMission(box, { repo: 'github.com/acme/site' }),
    pretendMission(box, { repo: 'github.com/acme/site', name: 'a [*] #{q} #[fg=red] 100%' }),
  ].map(id => id.slice(0, 8))
  const terminal = box.attach({ columns: 160 })
  const line = await waitForLine(terminal, '#[fg=red]')
  expect(line).toMatch(
    new RegExp(
      `^ 0·\\(blank\\)  1·shop ${ids[0]}  2·shop ${ids[1]}  3·site  4·a \\[\\*\\] #\\{q\\} #\\[fg=red\\] 10… `,
    ),
  )
  expect(box.windows().map(({ name }) => name)).toEqual([
    `${first.mission.slice(0, 8)} (blank)`,
    `${ids[0]} local/src/shop`,
    `${ids[1]} acme/shop`,
    `${ids[2]} acme/site`,
    `${ids[3]} a [*] #{q} #[fg=red] 100%`,
  ])
  box.tmux('kill-window', '-t', box.windows()[2]!.id)
  await waitForLine(terminal, /1·shop {2}3·site/)
  pretendMission(box, { name: 'a [*] #{q} #[fg=red] 100 more' })
  await waitForLine(terminal, `#[fg=red] 10… ${ids[3]} `)
})

test('windows without a mission keep the look that tmux gives them', async () => {
  const box = sessionBox()
  await box.start()
  box.tmux('new-window', '-d', '-t', '=agenc:', '-n', 'mine', 'exec cat')
  await waitForLine(box.attach(), '1:mine')
})

test.for([80, 90, 100])(
  'with %i columns, list and counts do not collide, and what waits is named',
  async columns => {
    const box = sessionBox()
    await box.start()
    for (const index of Array(8).keys()) pretendMission(box, { name: `task-number-${index}` })
    pretendMission(box, { name: 'late', state: 'waiting' })
    const terminal = box.attach({ columns })
    const line = await waitForLine(terminal, '?late')
    expect(line).toMatch(/^ 0·\(blank\) {2}1·task-number-0 .*> \?late \?1 ·9 $/)
    expect(line).toHaveLength(columns)
  },
)

test('counts are in words while there is room, and nothing is named twice', async () => {
  const box = sessionBox()
  await box.start()
  pretendMission(box, { name: 'late', state: 'waiting' })
  const terminal = box.attach({ columns: 80 })
  const line = await waitForLine(terminal, '1 waiting')
  expect(line).toMatch(/^ 0·\(blank\) {2}1\?late +1 waiting 1 idle $/)
  terminal.resize(36, 30)
  await waitForLine(terminal, /^ 0·\(blank\) {2}1\?late +\?1 ·1 $/)
})

test('done, crashed and sleeping missions are counted', async () => {
  const box = sessionBox()
  await everyState(box)
  const terminal = box.attach({ columns: 160 })
  await waitForLine(terminal, ' 1 waiting 1 crashed 1 done 1 busy 2 idle 1 asleep ')
})

test.for([80, 120, 130])(
  'after the prefix key, a line of %i columns shows the keys until one is pressed',
  async columns => {
    const box = sessionBox()
    box.agenc(['config', 'set', 'tmux.keys.fork', '#'])
    await box.start()
    pretendMission(box, { name: 'other' })
    const terminal = box.attach({ columns })
    await waitForLine(terminal, '·other', '2 idle')
    for (const key of ['z', '?']) {
      terminal.type('\u0002a')
      const line = await waitForLine(
        terminal,
        'n new',
        /s switch +r resume +a next +# fork +x stop/,
        columns === 80 ? 'v diff' : /v diff +V review +l land/,
        '? help',
      )
      expect(line).not.toContain('other')
      expect(line).not.toContain('idle')
      terminal.type(key)
      await waitForLine(terminal, '·other', '2 idle')
    }
    await terminal.waitForText('Fork this mission')
  },
)

test('the line belongs to the agenc session: other sessions keep the user’s own', async () => {
  const box = sessionBox({ tmuxConf: 'set -g status-style bg=blue\nset -g message-style bg=red\n' })
  const window = await box.start()
  box.tmux('new-session', '-d', '-s', 'other', 'exec cat')
  expect(box.tmux('show-options', '-t', '=other:')).not.toContain('status')
  expect(box.tmux('show-options', '-w', '-t', '=other:')).toBe('')
  expect(box.tmux('show-options', '-g', 'status-style')).toBe('status-style bg=blue\n')
  expect(box.tmux('show-options', '-g', 'message-style')).toBe('message-style bg=red\n')
  expect(box.tmux('show-options', '-w', '-t', window.id, 'mode-style')).toContain('reverse')
  // Started by the user, this pane outlives the mission, and so does its window.
  box.tmux('split-window', '-d', '-t', window.id, 'exec cat')
  box.agenc(['mission', 'stop', window.mission])
  await waitFor('the window to be forgotten', () => !box.windowOf(window.mission))
  expect(box.tmux('show-options', '-w', '-t', window.id)).not.toMatch(/style|window-status|@agenc_label /)
})

test('a message says what is asked, and stays for 4 seconds', async () => {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const first = await box.start()
  const asks = await box.startFrom(first.id, '--name', 'task-5')
  box.tmux('select-window', '-t', first.id)
  const terminal = box.attach()
  await waitForLine(terminal, '2 idle')
  box.tmux('send-keys', '-t', asks.id, '-l', '[[bash touch x]]')
  box.tmux('send-keys', '-t', asks.id, 'Enter')
  await waitForLine(terminal, /^task-5 asks: Bash touch x/)
  const shownAt = Date.now()
  await waitForLine(terminal, '1 waiting')
  const seconds = (Date.now() - shownAt) / 1000
  expect(seconds).toBeGreaterThan(3.5)
  expect(seconds).toBeLessThan(6)
})

test('a terminal of another home is told whose session it gets', async () => {
  const box = sessionBox()
  await box.start()
  const other = join(box.root, 'second-home')
  const terminal = box.attach({ columns: 200, env: { AGENC_DIRPATH: other } })
  await waitForLine(terminal, `the session was started with ${box.env.AGENC_DIRPATH}`, `not ${other}`)
})
