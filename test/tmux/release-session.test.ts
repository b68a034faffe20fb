import { expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import type { Context } from '../../src/context.ts'
import { pathsAt } from '../../src/paths.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { injectKeys } from '../../src/tmux/keys/inject.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { findSession, releaseSession } from '../../src/tmux/session.ts'
import { type TmuxBench, type TmuxBenchOptions, tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

interface Bench extends TmuxBench {
  context: Context
  /** Every tmux process that was started in the background, and every one that was waited for. */
  asked: string[][]
  release(): void
}

const prefixKey = 'a'

function bench(options: TmuxBenchOptions = {}): Bench {
  const server = tmuxBench(options)
  const { env, agencHome } = server.box
  injectKeys(server.tmux, keyTable(defaultConfig.tmux.keys, { agenc: ['/bin/true'] }), prefixKey)
  const asked: string[][] = []
  const exec: Runner = {
    ...systemRunner,
    capture: (file, args, how) => {
      asked.push([...args])
      return systemRunner.capture(file, args, how)
    },
  }
  const context = { exec, env, paths: pathsAt(agencHome) } as Context
  return {
    ...server,
    context,
    asked,
    release: () => {
      const { tmux, state } = findSession(context)
      if (state.kind !== 'there') throw new Error(`the session is ${state.kind}`)
      releaseSession(tmux, state)
    },
  }
}

const config = 'bind-key a display-message mine'
const bindings = ({ run }: TmuxBench) => run('list-keys')

test('a release takes four calls, and the session itself stays', async () => {
  const server = bench({ config })
  expect(bindings(server)).toContain('-T agenc')
  server.release()
  expect(bindings(server)).not.toContain('-T agenc')
  expect(bindings(server)).toMatch(/-T prefix +a +display-message mine/)
  expect(server.asked).toHaveLength(4)
  expect(server.run('list-sessions', '-F', '#{session_name}')).toBe('agenc')
})

test.each(['after-display-message', 'after-show-options'])(
  "the keys are restored even if the user's %s hook prints something",
  async hook => {
    const server = bench({ config })
    server.run('set-hook', '-g', hook, 'list-sessions -F printed')
    server.release()
    expect(bindings(server)).toMatch(/-T prefix +a +display-message mine/)
  },
)

test('a client goes back to where it came from, another one stays', async () => {
  const server = bench({ sessions: ['agenc', 'mine'] })
  const [guest, resident] = [await server.attach('mine'), await server.attach('agenc')]
  const places = () => server.run('list-clients', '-F', '#{client_pid} #{session_name}').split('\n')
  const [client] = server.run('list-clients', '-t', '=mine:', '-F', '#{client_name}').split('\n')
  server.run('switch-client', '-c', client!, '-t', '=agenc')
  await waitFor('both in the session', () => places().every(place => place.endsWith(' agenc')))
  server.release()
  expect(places().sort()).toEqual([`${guest.pid} mine`, `${resident.pid} agenc`].sort())
})

test.each(['/plain', '/with space', '/a#{session_name}#(date)%H', "/o'dd"])(
  'the home of a session is read unchanged: %s',
  async home => {
    const server = bench()
    server.run('set-environment', '-t', '=agenc:', 'AGENC_DIRPATH', home)
    expect(findSession(server.context).state).toMatchObject({ kind: 'there', home })
  },
)

test('a query does not start a server', async () => {
  const server = bench()
  server.tmux.tell(['kill-server'])
  await waitFor('the server to be gone', () => server.tmux.ask(['list-sessions']).kind === 'no-server')
  expect(findSession(server.context).state).toEqual({ kind: 'none' })
  expect(server.tmux.ask(['list-sessions']).kind).toBe('no-server')
})
