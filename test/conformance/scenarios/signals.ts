import type { Bench } from '../bench.ts'
import { greeted, keys, leave, type Scenario, work } from '../scenario.ts'

async function ended(bench: Bench, signal: NodeJS.Signals): Promise<unknown> {
  const terminal = await greeted(bench)
  terminal.kill(signal)
  await bench.ended(terminal)
  return { modes: terminal.modes(), statusFile: bench.hasStatusFile(terminal) }
}

async function endedAtWork(bench: Bench, signal: NodeJS.Signals): Promise<unknown> {
  const terminal = await bench.ready(['--allowedTools', 'Bash'])
  const pid = await work(bench, terminal)
  terminal.kill(signal)
  await bench.ended(terminal)
  await bench.untilGone(pid)
  return terminal.modes()
}

export const signals: Scenario[] = [
  { name: 'SIGHUP', play: bench => ended(bench, 'SIGHUP') },
  { name: 'SIGKILL leaves the mess', play: bench => ended(bench, 'SIGKILL') },
  { name: 'SIGTERM while a command runs ends both', play: bench => endedAtWork(bench, 'SIGTERM') },
  { name: 'SIGINT while a command runs ends both, with 0', play: bench => endedAtWork(bench, 'SIGINT') },
  {
    name: 'Ctrl-Z gives the terminal back, SIGCONT takes it again with what was typed',
    play: async bench => {
      const terminal = await greeted(bench)
      terminal.send('half a thought')
      await bench.untilScreen(terminal, /half a thought/)
      terminal.send(keys.ctrlZ)
      await bench.untilScreen(terminal, /suspended/)
      const suspended = terminal.modes()
      terminal.kill('SIGCONT')
      await bench.untilScreen(terminal, /half a thought/)
      const back = terminal.modes()
      terminal.send(keys.ctrlC)
      await bench.untilScreen(terminal, /^❯\u00a0\s*$/m)
      await leave(bench, terminal)
      return { suspended, back }
    },
  },
]
