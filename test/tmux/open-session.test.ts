import type { ChildProcess } from 'node:child_process'
import { expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import type { Context } from '../../src/context.ts'
import { pathsAt } from '../../src/paths.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { injectKeys } from '../../src/tmux/keys/inject.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { openSession } from '../../src/tmux/open-session.ts'
import { type TmuxBench, type TmuxBenchOptions, tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

interface Bench extends TmuxBench {
  context: Context
  /** Every tmux that was started beside this process, or asked and waited for. */
  started: ChildProcess[]
  asked: string[][]
}

const prefixKey = 'a'

function bench(options: TmuxBenchOptions = {}): Bench {
  const server = tmuxBench(options)
  const { env, agencHome } = server.box
  const keys = keyTable(defaultConfig.tmux.keys, { agenc: ['/bin/true'] })
  injectKeys({ exec: systemRunner, env, tmux: server.tmux }, keys, prefixKey)
  const started: ChildProcess[] = []
  const asked: string[][] = []
  const exec: Runner = {
    ...systemRunner,
    start: (file, args, how) => {
      const child = systemRunner.start(file, args, how)
      started.push(child)
      return child
    },
    capture: (file, args, how) => {
      asked.push([...args])
      return systemRunner.capture(file, args, how)
    },
  }
  return { ...server, context: { exec, env, paths: pathsAt(agencHome) } as Context, started, asked }
}

const config = 'bind-key a display-message mine'
const bindings = ({ run }: TmuxBench) => run('list-keys')

test('asked and released in one call; the session itself stays', async () => {
  const server = bench({ config })
  expect(bindings(server)).toContain('-T agenc')
  const { state, release } = await openSession(server.context)
  expect(state).toMatchObject({ kind: 'there', clients: [] })
  await release()
  expect(bindings(server)).not.toContain('-T agenc')
  expect(bindings(server)).toMatch(/-T prefix +a +display-message mine/)
  expect(server.started).toHaveLength(1)
  expect(server.asked).toEqual([])
  expect(server.run('list-sessions', '-F', '#{session_name}')).toBe('agenc')
})

test.each(['after-display-message', 'after-show-options'])(
  "the keys come back whatever the user's own %s hook prints",
  async hook => {
    const server = bench({ config })
    server.run('set-hook', '-g', hook, 'list-sessions -F printed')
    const { release } = await openSession(server.context)
    await release()
    expect(bindings(server)).toMatch(/-T prefix +a +display-message mine/)
  },
)

test('a call that somebody has ended is made up for', async () => {
  const server = bench({ config })
  const { release } = await openSession(server.context)
  server.started[0]!.kill('SIGKILL')
  await release()
  expect(bindings(server)).toMatch(/-T prefix +a +display-message mine/)
})

test('a client goes back to where it came from, another one stays', async () => {
  const server = bench({ sessions: ['agenc', 'mine'] })
  const [guest, resident] = [await server.attach('mine'), await server.attach('agenc')]
  const places = () => server.run('list-clients', '-F', '#{client_pid} #{session_name}').split('\n')
  const [client] = server.run('list-clients', '-t', '=mine:', '-F', '#{client_name}').split('\n')
  server.run('switch-client', '-c', client!, '-t', '=agenc')
  await waitFor('both in the session', () => places().every(place => place.endsWith(' agenc')))
  const { release } = await openSession(server.context)
  await release()
  expect(places().sort()).toEqual([`${guest.pid} mine`, `${resident.pid} agenc`].sort())
})

test.each(['/plain', '/with space', '/a#{session_name}#(date)%H', "/o'dd"])(
  'the home of a session is told as it is: %s',
  async home => {
    const server = bench()
    server.run('set-environment', '-t', '=agenc:', 'AGENC_DIRPATH', home)
    expect((await openSession(server.context)).state).toMatchObject({ kind: 'there', home })
  },
)

test('to ask starts no server', async () => {
  const server = bench()
  server.tmux.tell(['kill-server'])
  await waitFor('the server to be gone', () => server.tmux.ask(['list-sessions']).kind === 'no-server')
  expect((await openSession(server.context)).state).toEqual({ kind: 'none' })
  expect(server.tmux.ask(['list-sessions']).kind).toBe('no-server')
})
