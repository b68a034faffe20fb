import { type Context, withChanges } from '../context.ts'
import { pathsAt } from '../paths.ts'
import { createSession } from '../tmux/session.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import type { DemoPlace } from './demo-paths.ts'
import type { DemoScript } from './demo-script.ts'
import { type Preparation, run } from './prepare-demo.ts'

/** The demo's own server: the default one of its own TMUX_TMPDIR. */
export function demoTmux({ exec }: Context, { env, tmuxSocket }: DemoPlace): Tmux {
  return tmuxAt(exec, env, tmuxSocket)
}

/** The session as `agenc tmux attach` makes it, except that nobody is asked for the first mission. */
export async function openSession(preparation: Preparation, { first, others }: DemoScript): Promise<void> {
  const { context, place } = preparation
  const inPlace = withChanges(context, { env: place.env, paths: pathsAt(place.agencHome) })
  const command = [...context.self, 'mission', 'new', '--here', ...first]
  createSession(inPlace, demoTmux(context, place), { name: 'agenc', command })
  for (const args of others) await startMission(preparation, args)
}

/** As if it were typed in the session's window, which stays in front. */
export async function startMission(preparation: Preparation, args: readonly string[]): Promise<void> {
  const { context, place } = preparation
  const session = '#{socket_path},#{pid},#{s/[$]//:session_id}'
  const [TMUX] = demoTmux(context, place).tell(['display-message', '-p', '-t', '=agenc:', session])
  const env = { ...place.env, TMUX, AGENC_TMUX: '1' }
  await run(preparation, [...context.self, 'mission', 'new', '--no-focus', ...args], { env })
}
