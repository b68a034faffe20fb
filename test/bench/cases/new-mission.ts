import { join } from 'node:path'
import { systemRunner } from '../../../src/system/runner.ts'
import { Bell } from '../../../src/wrapper/wakeup-fifo.ts'
import type { Box } from '../place/box.ts'
import { useFleetingClaude } from '../place/claude.ts'
import { startMissions } from '../place/missions.ts'
import { profileOf } from '../place/profile.ts'
import { agencScript } from '../place/root.ts'
import { openSession, type Session } from '../place/session.ts'
import { runProgram, until } from '../place/timing.ts'
import type { Case } from './case.ts'

/**
 * Beside a mission that runs, as in every session that is used. The new one's Claude says that it runs, and ends: its
 * window closes before the next round.
 */
export const newMission: Case = {
  prepare: async box => {
    const session = openSession(box)
    await startMissions(box, session, 1)
    const windows = windowCount(session)
    const fifo = join(box.root, 'started')
    const started = startsOn(box, fifo)
    const claude = useFleetingClaude(box, fifo)
    const empty = box.write('empty.cjs', '')
    const starter = box.write('starter.cjs', starterScript(claude))
    const node = process.execPath
    const time = async (work: () => Promise<void>) => {
      const beforeMs = performance.now()
      const [atMs] = await Promise.all([started(), work()])
      await until('its window is closed', () => windowCount(session) === windows)
      return atMs - beforeMs
    }
    const inside = (args: string[]) => runProgram(box, node, args, session.inside)
    const args = ['mission', 'new', '--blank', '--no-focus']
    return {
      subject: () => time(() => inside([agencScript, ...args])),
      figures: () => profileOf(box, args, session.inside),
      floor: () =>
        time(async () => {
          await inside([empty])
          await runProgram(box, 'tmux', ['new-window', '-d', '-t', '=agenc:', node, starter], session.inside)
        }),
    }
  },
}

/** Otherwise empty. */
function starterScript(claude: string): string {
  return `require('node:child_process').spawn(${JSON.stringify(claude)}, { stdio: 'inherit' })\n`
}

function startsOn(box: Box, fifo: string): () => Promise<number> {
  let onRing = () => {}
  const bell = new Bell(systemRunner, fifo, () => onRing())
  bell.listen()
  box.leftovers.add(() => bell.close())
  return () =>
    new Promise(resolve => {
      onRing = () => resolve(performance.now())
    })
}

function windowCount({ tmux }: Session): number {
  return tmux.tell(['list-windows', '-t', '=agenc:', '-F', '#{window_id}']).length
}
