import { agencScript } from '../place/root.ts'
import { openScreen } from '../place/screen.ts'
import { homeText, openQuietWindows, openSession } from '../place/session.ts'
import { storeMissions } from '../place/store.ts'
import { runProgram } from '../place/timing.ts'
import type { Case } from './case.ts'

/** In front is what a client's screen shows. */
export const resume: Case = {
  prepare: async box => {
    const session = openSession(box)
    const [mission] = await storeMissions(box, 10)
    const window = (await openQuietWindows(box, session, [mission!])).get(mission!.id)!
    const select = ['tmux', ['select-window', '-t', window], { stdio: 'inherit' }]
    const selector = box.write('select.cjs', selectorScript(select))
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

/** Otherwise empty. */
function selectorScript(call: readonly unknown[]): string {
  return `require('node:child_process').spawnSync(...${JSON.stringify(call)})\n`
}
