import { modelId } from '../../../stand-in/release.ts'
import {
  exitByDoublePress,
  keys,
  leave,
  type Scenario,
  startAndGreet,
  startLongCommand,
  untilAtRest,
} from '../scenario.ts'

/** Status fields for messages between sessions that the stand-in does not have. */
const peerKeys = new Set(['asksForConvertedSkills', 'peerFeatures', 'pidDomain'])

const hourS = 3_600
/** The same time for both programs: a full hour that is not far away. */
const limitEnd = (Math.ceil(Date.now() / 1000 / hourS) + 1) * hourS

export const conversation: Scenario[] = [
  {
    name: 'a prompt, an answer and /exit',
    play: async bench => {
      const terminal = await startAndGreet(bench, ['-n', 'a name'])
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
    name: 'prompts come from an argument with several lines, from stdin and from the keyboard',
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
    name: 'Esc interrupts before the answer, during the answer and during a command',
    play: async bench => {
      const terminal = await bench.ready(['--allowedTools', 'Bash'])
      await bench.say(terminal, 'Nothing. [[hang]]')
      await bench.untilEvent('UserPromptSubmit')
      await bench.untilScreen(terminal, /esc to interrupt/)
      await bench.untilStatus('busy')
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      await bench.untilScreen(terminal, /^❯\u00a0Nothing\. \[\[hang/m)
      terminal.send(keys.ctrlC)
      await bench.untilScreen(terminal, /^❯\u00a0\s*$/m)
      await bench.say(terminal, 'Talk. [[text First line.]]+[[hang]]')
      await bench.untilEvent('UserPromptSubmit', 2)
      await bench.untilScreen(terminal, /● First line\./)
      await bench.untilStatus('busy')
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      const pid = await startLongCommand(bench, terminal)
      await bench.untilStatus('busy')
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      await bench.untilGone(pid)
      await leave(bench, terminal)
    },
  },
  {
    name: 'Shift+Tab runs no hook, and Ctrl-C twice exits',
    play: async bench => {
      const terminal = await bench.ready()
      terminal.send(keys.shiftTab)
      await bench.untilScreen(terminal, /accept edits on/)
      terminal.send(keys.shiftTab)
      await bench.untilScreen(terminal, /plan mode on/)
      await bench.say(terminal, 'Hello. [[text Planning.]]')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await exitByDoublePress(bench, terminal, keys.ctrlC)
      return terminal.modes()
    },
  },
  {
    name: '/clear and /rename',
    play: async bench => {
      const terminal = await startAndGreet(bench)
      await bench.say(terminal, '/clear')
      await bench.untilEvent('SessionStart', 2)
      await bench.untilStatus('idle')
      await bench.say(terminal, '/rename other name')
      await bench.until(() => bench.status?.name === 'other name', 'the name')
      await bench.untilStatus('idle')
      await bench.say(terminal, 'Again. [[text Yes.]]')
      await bench.untilEvent('Stop', 2)
      await untilAtRest(bench, terminal)
      const { title } = terminal
      const nameSource = bench.status?.nameSource
      await leave(bench, terminal)
      return { title, nameSource, transcripts: bench.transcripts() }
    },
  },
  {
    name: 'Ctrl-D twice exits without a transcript',
    play: async bench => {
      const terminal = await bench.ready()
      await exitByDoublePress(bench, terminal, keys.ctrlD)
      return { modes: terminal.modes(), transcripts: bench.transcripts() }
    },
  },
  {
    name: 'a command fails, and the API returns an error',
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
  {
    name: "a subscriber's limit is reached, and the transcript says when it ends",
    play: async bench => {
      // The default model of a subscriber is another one.
      const usual = ['--session-id', bench.sessionId, '--permission-mode', 'manual', '--model', modelId]
      const subscriber = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy-0123456789' }
      const terminal = bench.start([...usual, '--settings', bench.hooks.settings()], { env: subscriber })
      await bench.untilReady(terminal)
      await bench.say(terminal, `Work. [[limit ${limitEnd}]]`)
      await bench.untilEvent('StopFailure')
      const limits = () => bench.lines().filter(line => line.isApiErrorMessage === true)
      await bench.until(() => limits().length > 0, 'the line of the limit')
      await leave(bench, terminal)
      return limits().map(({ error, apiError, apiErrorStatus, apiErrorParams }) => ({
        error,
        apiError,
        apiErrorStatus,
        apiErrorParams,
      }))
    },
  },
]
