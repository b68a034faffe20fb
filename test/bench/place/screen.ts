import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import type { Box } from './box.ts'
import { columns, homeText, lines } from './session.ts'

type Look = (rows: readonly string[]) => boolean

/** A real client of the session in a real terminal: what is on its screen, and when. */
export interface Screen {
  press(keys: string): void
  /** The time when the screen first shows it. */
  shows(what: string, look: Look): Promise<number>
  /** From these keys to what they bring, in milliseconds. */
  time(keys: string, what: string, look: Look): Promise<number>
}

const patienceMs = 30_000

export async function openScreen(box: Box): Promise<Screen> {
  const emulator = new xterm.Terminal({ cols: columns, rows: lines, allowProposedApi: true })
  const client = pty.spawn('tmux', ['-u', 'attach-session', '-t', '=agenc'], {
    cols: columns,
    rows: lines,
    cwd: box.root,
    env: box.env as Record<string, string>,
    name: 'xterm-256color',
  })
  box.leftovers.add(() => client.kill('SIGKILL'))
  let onChange = () => {}
  client.onData(data => emulator.write(data, () => onChange()))
  emulator.onData(reply => client.write(reply))
  const shows = (what: string, look: Look) =>
    new Promise<number>((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer)
        onChange = () => {}
      }
      const timer = setTimeout(() => {
        finish()
        reject(new Error(`the screen never showed ${what}:\n${rowsOf(emulator).join('\n')}`))
      }, patienceMs)
      onChange = () => {
        if (!look(rowsOf(emulator))) return
        finish()
        resolve(performance.now())
      }
      onChange()
    })
  const screen: Screen = {
    press: keys => client.write(keys),
    shows,
    time: async (keys, what, look) => {
      const beforeMs = performance.now()
      client.write(keys)
      return (await shows(what, look)) - beforeMs
    },
  }
  await screen.shows('the first window', rows => rows.some(row => row.includes(homeText)))
  return screen
}

/** Without the status line, which names windows too. */
function rowsOf(emulator: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = emulator.buffer
  return Array.from(
    { length: emulator.rows - 1 },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  )
}
