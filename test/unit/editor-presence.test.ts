import { expect, test } from 'vitest'
import { findTmuxServers, type TmuxClients } from '../../src/editor/desktop.ts'
import {
  type MissionPresence,
  presenceJson,
  presencesIn,
  type Scene,
  type TmuxServer,
} from '../../src/editor/mission-presence.ts'
import type { Process } from '../../src/system/process-table.ts'
import { parseClientsAndPanes } from '../../src/tmux/clients.ts'
import { parseTmuxVariable } from '../../src/tmux/tmux-variable.ts'

const shortId = 'abcd1234'
const wrapperPid = 100

type Row = [pid: number, ppid: number, name: string, tty?: string]

function scene(rows: Row[], rest: Partial<Scene> = {}): Scene {
  const processes = new Map<number, Process>(
    rows.map(([pid, ppid, name, tty]) => [pid, { pid, ppid, name, tty: tty ?? null, startTime: `${pid}0` }]),
  )
  return { processes, windows: [], tmux: [], windowIdOf: () => null, ...rest }
}

function see(where: Scene, wrapper_pid: number | null = wrapperPid): MissionPresence {
  return presencesIn(where, [{ wrapper_pid, short_id: shortId }])[0]!
}

const window = (id: string, pid: number, title = '') => ({ id, pid, title })
const init: Row = [1, 0, 'systemd']

/** A mission in pane pts/1 of tmux server 50, which has these clients. */
function inTmux(clients: Partial<TmuxServer['clients'][number]>[]): { rows: Row[]; server: TmuxServer } {
  return {
    rows: [init, [50, 1, 'tmux'], [99, 50, 'node', '/dev/pts/1'], [wrapperPid, 99, 'claude', '/dev/pts/1']],
    server: {
      pid: 50,
      panes: [{ tty: '/dev/pts/1', session: '$0' }],
      clients: clients.map(client => ({ pid: 0, session: '$0', activity: 0, title: '', ...client })),
    },
  }
}

test('windowed: the first parent that owns a window shows the mission', () => {
  const where = scene(
    [init, [10, 1, 'zed-editor'], [20, 10, 'zsh', '/dev/pts/1'], [wrapperPid, 20, 'claude', '/dev/pts/1']],
    { windows: [window('7', 10, 'agent'), window('8', 1)] },
  )
  expect(see(where)).toEqual({
    presence: 'windowed',
    editorType: 'zed-editor',
    window: { id: '7', pid: 10, title: 'agent', startTime: '100' },
    isUncertain: false,
  })
})

test('none: the mission has no process', () => {
  const none = { presence: 'none', window: null, editorType: null, isUncertain: false }
  expect(see(scene([init]))).toEqual(none)
  expect(see(scene([init]), null)).toEqual(none)
})

test('orphan: the process has no terminal any more', () => {
  expect(see(scene([init, [wrapperPid, 1, 'claude']])).presence).toBe('orphan')
})

test('terminal: the process has a terminal, but no known window', () => {
  const rows: Row[] = [init, [9, 1, 'login'], [wrapperPid, 9, 'claude', '/dev/tty2']]
  expect(see(scene(rows))).toMatchObject({ presence: 'terminal', isUncertain: false })
  expect(see(scene(rows, { windows: null }))).toMatchObject({ presence: 'terminal', isUncertain: true })
})

test.each(['sshd', 'sshd-session', 'mosh-server'])('remote: a parent is %s', login => {
  const where = scene([
    init,
    [9, 1, login],
    [20, 9, 'bash', '/dev/pts/1'],
    [wrapperPid, 20, 'claude', '/dev/pts/1'],
  ])
  expect(see(where).presence).toBe('remote')
})

test('the search ends after 20 parents', () => {
  const line = (parents: number): Row[] =>
    Array.from({ length: parents + 1 }, (_, depth) => [
      wrapperPid + depth,
      wrapperPid + depth + 1,
      'sh',
      '/dev/pts/1',
    ])
  const at = (parents: number) =>
    see(scene(line(parents), { windows: [window('7', wrapperPid + parents)] })).presence
  expect(at(20)).toBe('windowed')
  expect(at(21)).toBe('terminal')
})

test('the search ends if the parents form a circle', () => {
  expect(
    see(
      scene([
        [wrapperPid, 101, 'a', '/dev/pts/1'],
        [101, wrapperPid, 'b'],
      ]),
    ).presence,
  ).toBe('terminal')
})

test('detached: no client shows the pane', () => {
  const { rows, server } = inTmux([{ pid: 30, session: '$1' }])
  expect(see(scene([...rows, [30, 1, 'tmux', '/dev/pts/9']], { tmux: [server] })).presence).toBe('detached')
})

test('the terminal that started the tmux server does not count', () => {
  const { rows, server } = inTmux([])
  const adopted = rows.map(([pid, ppid, ...rest]): Row => [pid, pid === 50 ? 11 : ppid, ...rest])
  const where = scene([...adopted, [11, 1, 'konsole']], { tmux: [server], windows: [window('7', 11)] })
  expect(see(where).presence).toBe('detached')
})

test('a mission is not detached if tmux does not answer', () => {
  const { rows } = inTmux([])
  expect(see(scene(rows)).presence).toBe('terminal')
})

test('of two clients, the one used last counts', () => {
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

test('a pane that is linked into two sessions is shown by the clients of both', () => {
  const { rows, server } = inTmux([{ pid: 31, session: '$7' }])
  const linked = { ...server, panes: [...server.panes, { tty: '/dev/pts/1', session: '$7' }] }
  const where = scene([...rows, [11, 1, 'xterm'], [31, 11, 'tmux', '/dev/pts/8']], {
    tmux: [linked],
    windows: [window('7', 11)],
  })
  expect(see(where).presence).toBe('windowed')
})

test('nested tmux on two servers: the search continues at the pane that shows the inner client', () => {
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

test('a client that shows its own pane does not cause a loop', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const where = scene([...rows, [31, 50, 'tmux', '/dev/pts/1']], { tmux: [server] })
  expect(see(where).presence).toBe('detached')
})

test('terminal: the client is not in the process table, because it runs outside this container', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  expect(see(scene(rows, { tmux: [server] })).presence).toBe('terminal')
})

const twoWindows: Row[] = [
  init,
  [10, 1, 'gnome-terminal-server'],
  [20, 10, 'bash', '/dev/pts/1'],
  [wrapperPid, 20, 'claude', '/dev/pts/1'],
]

test('several windows of one process: WINDOWID decides, then the title', () => {
  const windows = [window('7', 10, `${shortId} web`), window('8', 10, 'other')]
  expect(see(scene(twoWindows, { windows, windowIdOf: () => '8' })).window?.id).toBe('8')
  expect(see(scene(twoWindows, { windows, windowIdOf: pid => (pid === 20 ? '8' : null) })).window?.id).toBe(
    '8',
  )
  expect(see(scene(twoWindows, { windows })).window?.id).toBe('7')
})

test('a WINDOWID that was inherited from another program is ignored', () => {
  const windows = [window('7', 10, shortId), window('8', 10, 'other'), window('9', 1)]
  expect(see(scene(twoWindows, { windows, windowIdOf: () => '9' })).window?.id).toBe('7')
})

test('the title that tmux gave a client identifies its window', () => {
  const { rows, server } = inTmux([{ pid: 31, title: 'ffff0000 another mission in view' }])
  const where = scene([...rows, [10, 1, 'gnome-terminal-server'], [31, 10, 'tmux', '/dev/pts/8']], {
    tmux: [server],
    windows: [window('7', 10, 'shell'), window('8', 10, 'ffff0000 another mission in view')],
  })
  expect(see(where).window?.id).toBe('8')
})

test('several windows that look alike: the program is known, the window is not', () => {
  const windows = [window('7', 10, `${shortId} a`), window('8', 10, `${shortId} b`)]
  const seen = see(scene(twoWindows, { windows }))
  expect(presenceJson(seen)).toEqual({
    editor_open: true,
    window_id: null,
    editor_type: 'gnome-terminal-server',
    presence: 'terminal',
  })
})

test('fifty missions can share one client', () => {
  const { rows, server } = inTmux([{ pid: 31 }])
  const where = scene([...rows, [11, 1, 'xterm'], [31, 11, 'tmux', '/dev/pts/8']], {
    tmux: [server],
    windows: [window('7', 11)],
  })
  const missions = Array.from({ length: 50 }, () => ({ wrapper_pid: wrapperPid, short_id: shortId }))
  expect(presencesIn(where, missions).map(seen => seen.window?.id)).toEqual(missions.map(() => '7'))
})

function tmuxWith(readServer: TmuxClients['readServer']): TmuxClients {
  return {
    agencSocket: null,
    readServer,
    socketIn: variable => parseTmuxVariable(variable ?? undefined)?.socket ?? null,
  }
}

test('each server on the way is asked once, by the socket in the environment of its own pane', () => {
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
  const tmux = tmuxWith(socket => {
    asked.push(socket)
    return socket === null ? server : outer
  })
  const variable = (pid: number) => (pid === 61 ? '/run/a,b/outer,60,0' : null)
  expect(findTmuxServers(tmux, processes, variable, [wrapperPid, 101])).toEqual([server, outer])
  expect(asked).toEqual([null, '/run/a,b/outer'])
})

test('a mission outside tmux asks no tmux server', () => {
  const { processes } = scene([init, [10, 1, 'xterm'], [wrapperPid, 10, 'claude']])
  const tmux = tmuxWith(() => expect.fail('asked'))
  expect(findTmuxServers(tmux, processes, () => null, [wrapperPid])).toEqual([])
})

test('the answer of tmux: a title may contain tabs, and no lines mean no server', () => {
  const lines = ['client\t50\t31\t$0\t1794794917\ta\ttab', 'pane\t50\t/dev/pts/1\t$0']
  expect(parseClientsAndPanes(lines)).toEqual({
    pid: 50,
    clients: [{ pid: 31, session: '$0', activity: 1794794917, title: 'a\ttab' }],
    panes: [{ tty: '/dev/pts/1', session: '$0' }],
  })
  expect(parseClientsAndPanes([])).toBeNull()
})
