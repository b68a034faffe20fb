import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  homeText,
  installShortLivedClaude,
  openQuietWindows,
  openSession,
  type Session,
  startMissions,
} from '../bench-session.ts'
import { agencScript, runProgram, until, watchDirectory } from '../box.ts'
import { openScreen } from '../client-screen.ts'
import type { Case } from '../comparison.ts'
import { storeMissions } from '../stored-missions.ts'

/** The new mission's Claude creates a file and ends, so that its window has closed before the next round. */
export const newMission: Case = {
  prepare: async box => {
    const session = openSession(box)
    await startMissions(box, session, 1)
    const windows = windowCount(session)
    const started = join(box.root, 'started')
    mkdirSync(started)
    const hasStarted = watchDirectory(box, started, () => readdirSync(started).length > 0)
    const claude = installShortLivedClaude(box, started)
    const empty = box.write('empty.cjs', '')
    const starter = box.write(
      'starter.cjs',
      `require('node:child_process').spawn(${JSON.stringify(claude)}, { stdio: 'inherit' })\n`,
    )
    const node = process.execPath
    const inside = (args: string[]) => runProgram(box, node, args, session.inside)
    const time = async (start: () => Promise<void>) => {
      for (const name of readdirSync(started)) rmSync(join(started, name))
      const beforeMs = performance.now()
      const [atMs] = await Promise.all([hasStarted(), start()])
      await until('its window is closed', () => windowCount(session) === windows)
      return atMs - beforeMs
    }
    return {
      subject: () => time(() => inside([agencScript, 'mission', 'new', '--blank', '--no-focus'])),
      floor: () =>
        time(async () => {
          await inside([empty])
          await runProgram(box, 'tmux', ['new-window', '-d', '-t', '=agenc:', node, starter], session.inside)
        }),
    }
  },
}

function windowCount({ tmux }: Session): number {
  return tmux.tell(['list-windows', '-t', '=agenc:', '-F', '#{window_id}']).length
}

/** The window is in front when the screen of a client shows it. */
export const resume: Case = {
  prepare: async box => {
    const session = openSession(box)
    const [mission] = await storeMissions(box, 10)
    const window = (await openQuietWindows(box, session, [mission!])).get(mission!.id)!
    const call = ['tmux', ['select-window', '-t', window], { stdio: 'inherit' }]
    const selector = box.write(
      'select.cjs',
      `require('node:child_process').spawnSync(...${JSON.stringify(call)})\n`,
    )
    const screen = await openScreen(box)
    const shows = (text: string) => (rows: readonly string[]) => rows.some(row => row.includes(text))
    const time = async (args: string[]) => {
      const beforeMs = performance.now()
      const ended = runProgram(box, process.execPath, args, session.inside)
      const atMs = await screen.shows("the mission's window", shows(mission!.id))
      await ended
      session.tmux.tell(['select-window', '-t', session.home])
      await screen.shows('the first window', shows(homeText))
      return atMs - beforeMs
    }
    return {
      subject: () => time([agencScript, 'mission', 'resume', mission!.id]),
      floor: () => time([selector]),
    }
  },
}
