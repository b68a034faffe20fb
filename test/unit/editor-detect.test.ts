import { expect, test } from 'vitest'
import { detect, type Scene, type Sighting } from '../../src/editor/detect.ts'
import { sightingJson } from '../../src/editor/sighting.ts'
import { parseTmuxServer, socketOf, type TmuxServer } from '../../src/editor/tmux-clients.ts'
import { findTmuxServers } from '../../src/editor/tmux-servers.ts'
import type { Process } from '../../src/system/process-table.ts'

const shortId = 'abcd1234'
const agentPid = 100

type Row = [pid: number, ppid: number, name: string, tty?: string]

function scene(rows: Row[], rest: Partial<Scene> = {}): Scene {
  const processes = new Map<number, Process>(
    rows.map(([pid, ppid, name, tty]) => [pid, { pid, ppid, name, tty: tty ?? null, startTime: `${pid}0` }]),
  )
  return { processes, windows: [], tmux: [], windowIdOf: () => null, ...rest }
}

function see(where: Scene, pids = [agentPid]): Sighting {
  return detect(where, [{ pids, shortId }])[0]!
}

const window = (id: string, pid: number, title = '') => ({ id, pid, title })
const init: Row = [1, 0, 'systemd']

/** An agent in pane pts/1 of tmux server 50, whose clients are given. */
function inTmux(clients: Partial<TmuxServer['clients'][number]>[]): { rows: Row[]; server: TmuxServer } {
  return {
    rows: [init, [50, 1, 'tmux'], [99, 50, 'node', '/dev/pts/1'], [agentPid, 99, 'claude', '/dev/pts/1']],
    server: {
      pid: 50,
      panes: [{ tty: '/dev/pts/1', session: '$0' }],
      clients: clients.map(client => ({ pid: 0, session: '$0', activity: 0, title: '', ...client })),
    },
  }
}

test('an integrated terminal: the first parent that owns a window', () => {
  const where = scene(
    [init, [10, 1, 'zed-editor'], [20, 10, 'zsh', '/dev/pts/1'], [agentPid, 20, 'claude', '/dev/pts/1']],
    { windows: [window('7', 10, 'agent'), window('8', 1)] },
  )
  expect(see(where)).toEqual({
    presence: 'windowed',
    editorType: 'zed-editor',
    window: { id: '7', pid: 10, title: 'agent', startTime: '100' },
    isUncertain: false,
  })
})

test('none: no process of the mission lives', () => {
  expect(see(scene([init]))).toEqual({
    presence: 'none',
    window: null,
    editorType: null,
    isUncertain: false,
  })
})

test('the wrapper stands in for a Claude that is gone', () => {
  const where = scene([init, [10, 1, 'xterm'], [20, 10, 'node', '/dev/pts/1']], {
    windows: [window('7', 10)],
  })
  expect(see(where, [agentPid, 20]).presence).toBe('windowed')
})

test('orphan: alive, its terminal gone', () => {
  expect(see(scene([init, [agentPid, 1, 'claude']])).presence).toBe('orphan')
})

test('terminal: a tty, and no window that can be told', () => {
  const rows: Row[] = [init, [9, 1, 'login'], [agentPid, 9, 'claude', '/dev/tty2']]
  expect(see(scene(rows))).toMatchObject({ presence: 'terminal', isUncertain: false })
  expect(see(scene(rows, { windows: null }))).toMatchObject({ presence: 'terminal', isUncertain: true })
})

test.each(['sshd', 'sshd-session', 'mosh-server'])('remote: the chain ends in %s', login => {
  const where = scene([
    init,
    [9, 1, login],
    [20, 9, 'bash', '/dev/pts/1'],
    [agentPid, 20, 'claude', '/dev/pts/1'],
  ])
  expect(see(where).presence).toBe('remote')
})

test('at most 20 parents', () => {
  const line = (parents: number): Row[] =>
    Array.from({ length: parents + 1 }, (_, depth) => [
      agentPid + depth,
      agentPid + depth + 1,
      'sh',
      '/dev/pts/1',
    ])
  const at = (parents: number) =>
    see(scene(line(parents), { windows: [window('7', agentPid + parents)] })).presence
  expect(at(20)).toBe('windowed')
  expect(at(21)).toBe('terminal')
})

test('parents that go in a circle end', () => {
  expect(
    see(
      scene([
        [agentPid, 101, 'a', '/dev/pts/1'],
        [101, agentPid, 'b'],
      ]),
    ).presence,
  ).toBe('terminal')
})

test('detached: in a pane that no client shows', () => {
  const { rows, server } = inTmux([{ pid: 30, session: '$1' }])
  expect(see(scene([...rows, [30, 1, 'tmux', '/dev/pts/9']], { tmux: [server] })).presence).toBe('detached')
})

test('who started the tmux server does not show what runs in it', () => {
  const { rows, server } = inTmux([])
  const adopted = rows.map(([pid, ppid, ...rest]): Row => [pid, pid === 50 ? 11 : ppid, ...rest])
  const where = scene([...adopted, [11, 1, 'konsole']], { tmux: [server], windows: [window('7', 11)] })
  expect(see(where).presence).toBe('detached')
})

test('a tmux that did not answer is unknown, not detached', () => {
  const { rows } = inTmux([])
  expect(see(scene(rows)).presence).toBe('terminal')
})

test('attached twice: the client that was active last', () => {
  const { rows, server } = inTmux([
    { pid: 31, activity: 200 },
    { pid: 32, activity: 100 },
  ])
  const terminals: Row[] = [
    [11, 1, 'xterm'],
    [12, 1, 'kitty'],
    [31, 11, 'tmux', '/dev/pts/8'],
    [32, 12, 'tmux', '/dev/pts/9'],
  ]
  const windows = [window('7', 11), window('8', 12)]
  expect(see(scene([...rows, ...terminals], { tmux: [server], windows })).editorType).toBe('xterm')
})

test('a pane linked into two sessions is shown by the clients of both', () => {
  const { rows, server } = inTmux([{ pid: 31, session: '$7' }])
  const linked = { ...server, panes: [...server.panes, { tty: '/dev/pts/1', session: '$7' }] }
  const where = scene([...rows, [11, 1, 'xterm'], [31, 11, 'tmux', '/dev/pts/8']], {
    tmux: [linked],
    windows: [window('7', 11)],
  })
  expect(see(where).presence).toBe('windowed')
})

test('nested tmux, across servers: on through the pane that shows the inner client', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const outer: TmuxServer = {
    pid: 60,
    panes: [{ tty: '/dev/pts/5', session: '$0' }],
    clients: [{ pid: 41, session: '$0', activity: 0, title: '' }],
  }
  const between: Row[] = [
    [60, 1, 'tmux'],
    [61, 60, 'bash', '/dev/pts/5'],
    [31, 61, 'tmux', '/dev/pts/5'],
    [11, 1, 'xterm'],
    [41, 11, 'tmux', '/dev/pts/6'],
  ]
  const all = [...rows, ...between]
  const windows = [window('7', 11)]
  expect(see(scene(all, { tmux: [server, outer], windows })).window?.id).toBe('7')
  expect(see(scene(all, { tmux: [server, { ...outer, clients: [] }], windows })).presence).toBe('detached')
})

test('a client that shows itself does not loop', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const where = scene([...rows, [31, 50, 'tmux', '/dev/pts/1']], { tmux: [server] })
  expect(see(where).presence).toBe('detached')
})

test('a client that cannot be seen from here (a container) leaves the terminal', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  expect(see(scene(rows, { tmux: [server] })).presence).toBe('terminal')
})

const twoWindows: Row[] = [
  init,
  [10, 1, 'gnome-terminal-server'],
  [20, 10, 'bash', '/dev/pts/1'],
  [agentPid, 20, 'claude', '/dev/pts/1'],
]

test('several windows in one process: WINDOWID, then the title', () => {
  const windows = [window('7', 10, `${shortId} web`), window('8', 10, 'other')]
  expect(see(scene(twoWindows, { windows, windowIdOf: () => '8' })).window?.id).toBe('8')
  expect(see(scene(twoWindows, { windows, windowIdOf: pid => (pid === 20 ? '8' : null) })).window?.id).toBe(
    '8',
  )
  expect(see(scene(twoWindows, { windows })).window?.id).toBe('7')
})

test('a WINDOWID inherited from another program is not believed', () => {
  const windows = [window('7', 10, shortId), window('8', 10, 'other'), window('9', 1)]
  expect(see(scene(twoWindows, { windows, windowIdOf: () => '9' })).window?.id).toBe('7')
})

test('a title that tmux itself set tells the client', () => {
  const { rows, server } = inTmux([{ pid: 31, title: 'ffff0000 another mission in view' }])
  const where = scene([...rows, [10, 1, 'gnome-terminal-server'], [31, 10, 'tmux', '/dev/pts/8']], {
    tmux: [server],
    windows: [window('7', 10, 'shell'), window('8', 10, 'ffff0000 another mission in view')],
  })
  expect(see(where).window?.id).toBe('8')
})

test('windows that cannot be told apart: the program is known, the window is not', () => {
  const windows = [window('7', 10, `${shortId} a`), window('8', 10, `${shortId} b`)]
  const seen = see(scene(twoWindows, { windows }))
  expect(sightingJson(seen)).toEqual({
    editor_open: true,
    window_id: null,
    editor_type: 'gnome-terminal-server',
    presence: 'terminal',
  })
})

test('fifty missions behind one client', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const where = scene([...rows, [11, 1, 'xterm'], [31, 11, 'tmux', '/dev/pts/8']], {
    tmux: [server],
    windows: [window('7', 11)],
  })
  const agents = Array.from({ length: 50 }, () => ({ pids: [agentPid], shortId }))
  expect(detect(where, agents).map(seen => seen.window?.id)).toEqual(agents.map(() => '7'))
})

test('every server on the way is asked once, by the socket its own pane names', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const outer: TmuxServer = { pid: 60, panes: [], clients: [] }
  const { processes } = scene([
    ...rows,
    [60, 1, 'tmux'],
    [61, 60, 'bash'],
    [31, 61, 'tmux'],
    [101, 99, 'claude'],
  ])
  const asked: (string | null)[] = []
  const found = findTmuxServers(
    {
      processes,
      sockets: [null],
      variable: pid => (pid === 61 ? '/run/a,b/outer,60,0' : null),
      read: socket => {
        asked.push(socket)
        return socket === null ? server : outer
      },
    },
    [agentPid, 101],
  )
  expect(asked).toEqual([null, '/run/a,b/outer'])
  expect(found).toEqual([server, outer])
})

test('without tmux on the way tmux is not asked', () => {
  const { processes } = scene([init, [10, 1, 'xterm'], [agentPid, 10, 'claude']])
  const read = () => expect.fail('asked')
  expect(findTmuxServers({ processes, sockets: [null], variable: () => null, read }, [agentPid])).toEqual([])
})

test('the answer of tmux: titles may hold anything, empty is no server', () => {
  const text = 'client\t50\t31\t$0\t1794794917\ta\ttab\npane\t50\t/dev/pts/1\t$0\n'
  expect(parseTmuxServer(text)).toEqual({
    pid: 50,
    clients: [{ pid: 31, session: '$0', activity: 1794794917, title: 'a\ttab' }],
    panes: [{ tty: '/dev/pts/1', session: '$0' }],
  })
  expect(parseTmuxServer('')).toBeNull()
  expect(socketOf('')).toBeNull()
})
