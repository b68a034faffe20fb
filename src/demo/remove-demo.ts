import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import { type DemoPlace, markerOf } from './demo-place.ts'
import { outerSocket } from './hidden-terminal.ts'
import { demoTmux } from './prepare-demo.ts'

const graceMs = 8_000
const killMs = 2_000
const attempts = 20
const pauseMs = 50

/** Ends the demo's servers with everything in them, and removes what they left. Twice does nothing twice. */
export async function removePlace(context: Context, place: DemoPlace): Promise<void> {
  if (!existsSync(markerOf(place.root))) return
  const servers = [demoTmux(context, place), tmuxAt(context.exec, place.env, outerSocket(place))]
  const processes = servers.flatMap(server => endServer(context, place, server))
  const probe = systemProbe(context.exec)
  if (!(await waitUntilGone(probe, processes, graceMs))) {
    signalProcesses(probe, processes, 'SIGKILL')
    await waitUntilGone(probe, processes, killMs)
  }
  await removeDirectory(place.root)
}

/**
 * Everything in its windows, popups and hooks is below the server; windows are hung up on when it ends.
 * A server that was not started in the demo's directory is somebody else's, whatever led to it.
 */
function endServer(context: Context, { root }: DemoPlace, tmux: Tmux): ProcessIdentity[] {
  if (tmux.socket === null || !existsSync(tmux.socket)) return []
  const answer = tmux.ask(['display-message', '-p', '#{pid}\t#{socket_path}'])
  if (answer.kind !== 'ok') return []
  const [pid, socket] = answer.lines[0]!.split('\t')
  if (!socket?.startsWith(realpathSync(root) + sep)) return []
  const processes = listTree(context.exec, systemProbe(context.exec), Number(pid))
  tmux.ask(['kill-server'])
  return processes
}

/**
 * A program that was on its way when the server ended may still write a last file. The marker goes last: without it
 * nobody may remove the rest.
 */
async function removeDirectory(root: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const paths = readdirSync(root).map(name => join(root, name))
      for (const path of paths) if (path !== markerOf(root)) removeTree(path)
      removeTree(root)
    } catch (error) {
      if (attempt === attempts) throw error
    }
    if (!existsSync(root)) return
    await sleep(pauseMs)
  }
}

function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
