import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type ProcessIdentity, systemProbe } from '../process/identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../process/tree.ts'
import type { Tmux } from '../tmux/tmux.ts'
import { tmuxAt } from '../tmux/tmux.ts'
import { demoTmux } from './open.ts'
import { outerSocket } from './outer.ts'
import { type DemoPlace, markerOf } from './place.ts'

const graceMs = 8_000
const killMs = 2_000
const attempts = 20
const pauseMs = 50

/** Ends the demo's servers with everything in them, and removes what they left. Twice does nothing twice. */
export async function removePlace(context: Context, place: DemoPlace): Promise<void> {
  if (!existsSync(markerOf(place.root))) return
  const servers = [demoTmux(context, place), tmuxAt(context.exec, place.env, outerSocket(place))]
  const processes = servers.flatMap(server => endServer(context, server))
  const probe = systemProbe(context.exec)
  if (!(await waitUntilGone(probe, processes, graceMs))) {
    signalProcesses(probe, processes, 'SIGKILL')
    await waitUntilGone(probe, processes, killMs)
  }
  await removeDirectory(place.root)
}

/** Everything in its windows, popups and hooks is below the server; windows are hung up on when it ends. */
function endServer(context: Context, tmux: Tmux): ProcessIdentity[] {
  const answer = tmux.ask(['display-message', '-p', '#{pid}'])
  if (answer.kind !== 'ok') return []
  const processes = listTree(context.exec, systemProbe(context.exec), Number(answer.lines[0]))
  tmux.ask(['kill-server'])
  return processes
}

/** A program that was on its way when the server ended may still write a last file. */
async function removeDirectory(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch (error) {
      if (attempt === attempts) throw error
    }
    if (!existsSync(path)) return
    await sleep(pauseMs)
  }
}
