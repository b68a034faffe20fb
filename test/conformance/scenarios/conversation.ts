import { greeted, keys, leave, type Scenario, work } from '../scenario.ts'

/** How sessions talk to each other, which the stand-in does not do. */
const peerKeys = new Set([
  'asksForConvertedSkills',
  'messagingSocketPath',
  'peerFeatures',
  'peerProtocol',
  'pidDomain',
])

export const conversation: Scenario[] = [
  {
    name: 'prompt, answer, /exit',
    play: async bench => {
      const terminal = await greeted(bench, ['-n', 'a name'])
      await bench.until(() => terminal.title.startsWith('✳'), 'a title at rest')
      const during = { title: terminal.title, modes: terminal.modes() }
      const { name, nameSource, kind, entrypoint, version, cwd } = bench.status!
      const fields = Object.keys(bench.status!).filter(key => !peerKeys.has(key))
      await leave(bench, terminal)
      const file = { fields: fields.sort(), name, nameSource, kind, entrypoint, version, cwd }
      const said = /claude --resume ([0-9a-f-]+)/.exec(terminal.raw)?.[1]
      const after = { modes: terminal.modes(), statusFile: bench.hasStatusFile(terminal), said }
      return { during, file, after, transcripts: bench.transcripts() }
    },
  },
  {
    name: 'a prompt of several lines as an argument, and one on stdin',
    play: async bench => {
      const settings = ['--permission-mode', 'manual', '--settings', bench.hooks.settings()]
      const first = bench.start([...settings, '--', '-x "quoted"\nand $more [[text One.]]'])
      await bench.untilEvent('Stop')
      await leave(bench, first)
      const stdin = bench.writeFile('prompt', `${'long '.repeat(40_000)}[[text Two.]]`)
      const second = bench.start(settings, { stdin })
      await bench.untilEvent('Stop', 2)
      await bench.untilStatus('idle')
      await bench.say(second, 'By key. [[text Three.]]')
      await bench.untilEvent('Stop', 3)
      await leave(bench, second)
    },
  },
  {
    name: 'Esc before anything was said, while the answer comes, while a command runs',
    play: async bench => {
      const terminal = await bench.ready(['--allowedTools', 'Bash'])
      await bench.say(terminal, 'Nothing. [[hang]]')
      await bench.untilEvent('UserPromptSubmit')
      await bench.untilScreen(terminal, /esc to interrupt/)
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      await bench.untilScreen(terminal, /^❯\u00a0Nothing\. \[\[hang/m)
      terminal.send(keys.ctrlC)
      await bench.untilScreen(terminal, /^❯\u00a0\s*$/m)
      await bench.say(terminal, 'Talk. [[text First line.]]+[[hang]]')
      await bench.untilEvent('UserPromptSubmit', 2)
      await bench.untilScreen(terminal, /esc to interrupt/)
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      const pid = await work(bench, terminal)
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      await bench.untilGone(pid)
      await leave(bench, terminal)
    },
  },
  {
    name: 'Shift+Tab is silent until the next prompt; Ctrl-C twice leaves',
    play: async bench => {
      const terminal = await bench.ready()
      terminal.send(keys.shiftTab)
      await bench.untilScreen(terminal, /accept edits on/)
      terminal.send(keys.shiftTab)
      await bench.untilScreen(terminal, /plan mode on/)
      await bench.say(terminal, 'Hello. [[text Planning.]]')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      terminal.send(keys.ctrlC)
      await bench.untilScreen(terminal, /Press Ctrl-C again to exit/)
      terminal.send(keys.ctrlC)
      await bench.ended(terminal)
      return terminal.modes()
    },
  },
  {
    name: '/clear and /rename',
    play: async bench => {
      const terminal = await greeted(bench)
      await bench.say(terminal, '/clear')
      await bench.untilEvent('SessionStart', 2)
      await bench.untilStatus('idle')
      await bench.say(terminal, '/rename other name')
      await bench.until(() => bench.status?.name === 'other name', 'the name')
      await bench.untilStatus('idle')
      await bench.say(terminal, 'Again. [[text Yes.]]')
      await bench.untilEvent('Stop', 2)
      await bench.untilStatus('idle')
      await bench.until(() => terminal.title.startsWith('✳'), 'a title at rest')
      const { title } = terminal
      await leave(bench, terminal)
      return { title, nameSource: bench.status?.nameSource, transcripts: bench.transcripts() }
    },
  },
  {
    name: 'Ctrl-D twice, never spoken to',
    play: async bench => {
      const terminal = await bench.ready()
      terminal.send(keys.ctrlD)
      await bench.untilScreen(terminal, /Press Ctrl-D again to exit/)
      terminal.send(keys.ctrlD)
      await bench.ended(terminal)
      return { modes: terminal.modes(), transcripts: bench.transcripts() }
    },
  },
  {
    name: 'a command that fails, and an error of the API',
    play: async bench => {
      const terminal = await bench.ready(['--allowedTools', 'Bash'])
      await bench.say(terminal, 'Fail. [[bash echo out; echo err >&2; exit 3]] [[text Done.]]')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await bench.say(terminal, 'Break. [[error 400 no such thing]]')
      await bench.untilEvent('StopFailure')
      await leave(bench, terminal)
    },
  },
]
