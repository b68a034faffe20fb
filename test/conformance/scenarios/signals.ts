import type { Bench } from '../bench.ts'
import { keys, leave, type Scenario, startAndGreet, startLongCommand } from '../scenario.ts'

async function ended(bench: Bench, signal: NodeJS.Signals): Promise<unknown> {
  const terminal = await startAndGreet(bench)
  terminal.kill(signal)
  await bench.ended(terminal)
  return { modes: terminal.modes(), statusFile: bench.hasStatusFile(terminal) }
}

async function endedAtWork(bench: Bench, signal: NodeJS.Signals): Promise<unknown> {
  const terminal = await bench.ready(['--allowedTools', 'Bash'])
  const pid = await startLongCommand(bench, terminal)
  terminal.kill(signal)
  await bench.ended(terminal)
  await bench.untilGone(pid)
  return terminal.modes()
}

export const signals: Scenario[] = [
  { name: 'SIGHUP ends it in order', play: bench => ended(bench, 'SIGHUP') },
  {
    name: 'SIGKILL leaves the terminal and the status file as they are',
    play: bench => ended(bench, 'SIGKILL'),
  },
  { name: 'SIGTERM ends a running command as well', play: bench => endedAtWork(bench, 'SIGTERM') },
  {
    name: 'SIGINT ends a running command as well, with exit code 0',
    play: bench => endedAtWork(bench, 'SIGINT'),
  },
  {
    name: 'Ctrl-Z releases the terminal, and SIGCONT brings back the typed text',
    play: async bench => {
      const terminal = await startAndGreet(bench)
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
