import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import { type DemoPlace, markerOf } from './demo-place.ts'
import { hiddenSocket } from './hidden-terminal.ts'
import { demoTmux } from './prepare-demo.ts'

const graceMs = 8_000
const killMs = 2_000
const mostAttempts = 20
const retryDelayMs = 50

/** Ends the demo's servers with everything in them, and removes its directory. A second call does nothing. */
export async function removePlace(context: Context, place: DemoPlace): Promise<void> {
  if (!existsSync(markerOf(place.root))) return
  const servers = [demoTmux(context, place), tmuxAt(context.exec, place.env, hiddenSocket(place))]
  const processes = servers.flatMap(server => endServer(context, place, server))
  const probe = systemProbe(context.exec)
  if (!(await waitUntilGone(probe, processes, graceMs))) {
    signalProcesses(probe, processes, 'SIGKILL')
    await waitUntilGone(probe, processes, killMs)
  }
  await removeDirectory(place.root)
}

/**
 * Returns the server's process tree, which includes everything that runs in windows, popups and hooks. Leaves a server
 * alone if its socket is not in the demo's directory, because it may be the user's own.
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
 * Tries repeatedly, because a program may still write a file after its server has ended. Removes the marker last,
 * because without it a later call would refuse to remove the rest.
 */
async function removeDirectory(root: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const paths = readdirSync(root).map(name => join(root, name))
      for (const path of paths) if (path !== markerOf(root)) removeTree(path)
      removeTree(root)
    } catch (error) {
      if (attempt === mostAttempts) throw error
    }
    if (!existsSync(root)) return
    await sleep(retryDelayMs)
  }
}

function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
