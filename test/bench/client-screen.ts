import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { columns, homeText, lines } from './bench-session.ts'
import type { Box } from './box.ts'

type Condition = (rows: readonly string[]) => boolean

/** The screen of a real tmux client in a real terminal. */
export interface Screen {
  press(keys: string): void
  /** Resolves to the time at which the screen first matched. */
  shows(what: string, isShown: Condition): Promise<number>
  /** Milliseconds from pressing these keys until the screen matches. */
  time(keys: string, what: string, isShown: Condition): Promise<number>
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
  box.cleanup.add(() => client.kill('SIGKILL'))
  let onChange = () => {}
  client.onData(data => emulator.write(data, () => onChange()))
  emulator.onData(reply => client.write(reply))
  const shows = (what: string, isShown: Condition) =>
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
        if (!isShown(rowsOf(emulator))) return
        finish()
        resolve(performance.now())
      }
      onChange()
    })
  const screen: Screen = {
    press: keys => client.write(keys),
    shows,
    time: async (keys, what, isShown) => {
      const beforeMs = performance.now()
      client.write(keys)
      return (await shows(what, isShown)) - beforeMs
    },
  }
  await screen.shows('the first window', rows => rows.some(row => row.includes(homeText)))
  return screen
}

/** Skips the status line, because it contains window names too. */
function rowsOf(emulator: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = emulator.buffer
  return Array.from(
    { length: emulator.rows - 1 },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  )
}
