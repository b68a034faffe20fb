import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { leave, made, type Scenario, touch } from '../scenario.ts'
import type { Terminal } from '../terminal.ts'

/** Has the file made in one turn, and returns whether it exists. */
async function turn(bench: Bench, terminal: Terminal, stops: number): Promise<boolean> {
  await bench.say(terminal, touch(bench))
  await bench.untilEvent('Stop', stops)
  await bench.untilStatus('idle')
  return made(bench)
}

/** Only the variables that Claude sets: the machine may set others. */
const printVariables = "env | grep -E '^(CLAUDE|GIT_EDITOR|COLUMNS|LINES)' | grep -v MESSAGING | sort"
/** Shows whether the hook leads a session and a process group of its own. */
const printSessionAndGroup = 'ps -o sid=,pgid= -p $$ | tr -s " "'

/** What hooks have told the model, per conversation. */
function contextsIn(bench: Bench): string[][] {
  return bench.transcripts().map(file => {
    const lines = readFileSync(join(bench.claude.config, 'projects', file), 'utf8')
      .split('\n')
      .filter(Boolean)
    const attachments = lines.map(line => JSON.parse(line).attachment)
    return attachments.flatMap(it => (it?.type === 'hook_additional_context' ? it.content : []))
  })
}

export const hooks: Scenario[] = [
  {
    name: 'PermissionRequest denies, denies with an interruption, changes the input, and allows with another mode',
    play: async bench => {
      const terminal = await bench.ready()
      bench.hooks.answer('PermissionRequest', { decision: { behavior: 'deny', message: 'not today' } })
      const denied = await turn(bench, terminal, 1)
      bench.hooks.answer('PermissionRequest', {
        decision: { behavior: 'deny', message: 'no', interrupt: true },
      })
      await bench.say(terminal, touch(bench))
      await bench.untilEvent('PermissionRequest', 2)
      await bench.untilStatus('idle')
      bench.hooks.answer('PermissionRequest', {
        decision: { behavior: 'allow', updatedInput: { command: 'echo changed' } },
      })
      const changed = await turn(bench, terminal, 2)
      const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
      bench.hooks.answer('PermissionRequest', { decision: { behavior: 'allow', updatedPermissions } })
      const allowed = await turn(bench, terminal, 3)
      await leave(bench, terminal)
      return { denied, changed, allowed }
    },
  },
  {
    name: 'PreToolUse denies, changes the input, and allows without a dialog',
    play: async bench => {
      const terminal = await bench.ready()
      bench.hooks.answer('PreToolUse', {
        permissionDecision: 'deny',
        permissionDecisionReason: 'the rule says no',
      })
      const denied = await turn(bench, terminal, 1)
      bench.hooks.answer('PreToolUse', {
        permissionDecision: 'allow',
        updatedInput: { command: 'echo changed' },
      })
      const changed = await turn(bench, terminal, 2)
      bench.hooks.answer('PreToolUse', { permissionDecision: 'allow' })
      const allowed = await turn(bench, terminal, 3)
      await leave(bench, terminal)
      return { denied, changed, allowed }
    },
  },
  {
    name: 'PreToolUse can deny in bypassPermissions mode',
    play: async bench => {
      bench.hooks.answer('PreToolUse', {
        permissionDecision: 'deny',
        permissionDecisionReason: 'the rule says no',
      })
      const args = ['--permission-mode', 'bypassPermissions', '--settings', bench.hooks.settings()]
      const terminal = bench.start(args, { env: { IS_SANDBOX: '1' } })
      await bench.untilReady(terminal)
      const denied = await turn(bench, terminal, 1)
      bench.hooks.answer('PreToolUse')
      const bypassed = await turn(bench, terminal, 2)
      await leave(bench, terminal)
      return { denied, bypassed }
    },
  },
  ...['bypassPermissions', 'acceptEdits', 'dontAsk', 'auto'].map(mode => ({
    name: `PreToolUse can have the user asked in ${mode} mode`,
    play: async (bench: Bench) => {
      bench.hooks.answer('PreToolUse', {
        permissionDecision: 'ask',
        permissionDecisionReason: 'please check',
      })
      const args = ['--permission-mode', mode, '--settings', bench.hooks.settings()]
      const terminal = bench.start(args, { env: { IS_SANDBOX: '1' } })
      await bench.untilReady(terminal)
      await bench.say(terminal, touch(bench))
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /Do you want to proceed\?/)
      const before = made(bench)
      terminal.send('1')
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
      return { before, after: made(bench) }
    },
  })),
  {
    name: 'a PreToolUse hook that times out or fails does not stop the tool',
    play: async bench => {
      const settings = bench.hooks.settings({
        PreToolUse: { command: `[ -e ${bench.root}/made ] || exec sleep 30; exit 1`, timeout: 1 },
      })
      const args = ['--permission-mode', 'bypassPermissions', '--settings', settings]
      const terminal = bench.start(args, { env: { IS_SANDBOX: '1' } })
      await bench.untilReady(terminal)
      return [await turn(bench, terminal, 1), await turn(bench, terminal, 2)]
    },
  },
  {
    name: 'SessionStart gives Claude a text, also after /clear, and once per conversation if not for resume',
    play: async bench => {
      const output = {
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Remember\nthis.' },
      }
      const told = bench.writeFile('told', JSON.stringify(output))
      const matcher = 'startup|clear|compact'
      const settings = bench.hooks.settings({ SessionStart: { command: `cat ${told}`, matcher } })
      const args = ['--permission-mode', 'manual', '--settings', settings]
      const terminal = bench.start(['--session-id', bench.sessionId, ...args])
      await bench.untilReady(terminal)
      await bench.say(terminal, 'Hello. [[text Hello.]]')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await bench.say(terminal, '/clear')
      await bench.untilEvent('SessionStart', 2)
      await bench.untilStatus('idle')
      await bench.say(terminal, 'Again. [[text Again.]]')
      await bench.untilEvent('Stop', 2)
      await leave(bench, terminal)
      const resumed = bench.start(['--resume', bench.sessionId, ...args])
      await bench.untilReady(resumed)
      await bench.say(resumed, 'More. [[text More.]]')
      await bench.untilEvent('Stop', 3)
      await leave(bench, resumed)
      return contextsIn(bench)
    },
  },
  {
    name: 'exit code 2 blocks a tool and a prompt',
    play: async bench => {
      // Claude does not wait for the other hooks once one blocks, so this hook blocks after the event is recorded.
      const untilRecorded = `until grep -q forbidden ${bench.hooks.log}; do sleep 0.02; done`
      const block = `${untilRecorded}; echo no such prompts >&2; exit 2`
      const settings = bench.hooks.settings({
        PreToolUse: { command: 'echo blocked by two >&2; exit 2' },
        UserPromptSubmit: { command: `if grep -q forbidden; then ${block}; fi` },
      })
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', settings])
      await bench.untilReady(terminal)
      const done = await turn(bench, terminal, 1)
      await bench.say(terminal, 'forbidden [[text Never.]]')
      await bench.untilEvent('UserPromptSubmit', 2)
      await bench.untilScreen(terminal, /blocked by hook/)
      await bench.untilStatus('idle')
      await bench.untilScreen(terminal, /^❯\u00a0forbidden/m)
      terminal.send('\u0003')
      await leave(bench, terminal)
      return done
    },
  },
  {
    name: 'a dialog can be answered while its hook still runs, and the hook ends with the program',
    play: async bench => {
      const wait = `echo $$ > ${bench.root}/waiting; exec sleep 60`
      const settings = bench.hooks.settings({ PermissionRequest: { command: wait, timeout: 120 } })
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', settings])
      await bench.untilReady(terminal)
      await bench.say(terminal, touch(bench))
      const pid = Number(await bench.untilFile('waiting'))
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /Do you want to proceed\?/)
      terminal.send('1')
      await bench.untilEvent('Stop')
      process.kill(pid, 0)
      await leave(bench, terminal)
      await bench.untilGone(pid)
      return made(bench)
    },
  },
  {
    name: 'a slow SessionEnd hook does not delay the exit',
    play: async bench => {
      const settings = bench.hooks.settings({
        SessionEnd: { command: `echo $$ > ${bench.root}/slow; exec sleep 8` },
      })
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', settings])
      await bench.untilReady(terminal)
      await leave(bench, terminal)
      await bench.untilFile('slow')
    },
  },
  {
    name: 'hooks and commands get the same variables, and hooks of the user run as well',
    play: async bench => {
      const { root } = bench
      const own = { hooks: { Stop: [{ hooks: [{ type: 'command', command: `echo own > ${root}/own` }] }] } }
      bench.writeFile('home/.claude/settings.json', JSON.stringify(own))
      const settings = bench.hooks.settings({
        Stop: { command: `${printVariables} > ${root}/hook; ${printSessionAndGroup} > ${root}/groups` },
      })
      const args = ['--session-id', bench.sessionId, '--allowedTools', 'Bash', '--settings', settings]
      const terminal = bench.start([...args, '--permission-mode', 'manual'])
      await bench.untilReady(terminal)
      await bench.say(terminal, `Look. [[bash ${printVariables} > ${root}/tool]] [[text Done.]]`)
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
      const [hook, tool] = [await bench.untilFile('hook'), await bench.untilFile('tool')]
      const pid = new RegExp(`\\b${terminal.pid}\\b`, 'g')
      const [sid, group] = (await bench.untilFile('groups')).trim().split(' ')
      const lines = (text: string) =>
        text
          .replace(pid, '<pid>')
          .split('\n')
          .filter(line => !/EXECPATH/.test(line))
      return {
        hook: lines(hook),
        tool: lines(tool),
        leader: sid === group,
        own: await bench.untilFile('own'),
      }
    },
  },
  {
    name: 'inside another Claude nothing is saved',
    play: async bench => {
      const args = ['--session-id', bench.sessionId, '--settings', bench.hooks.settings()]
      const env = { CLAUDE_CODE_CHILD_SESSION: '1' }
      const terminal = bench.start([...args, '--permission-mode', 'manual', 'Hello. [[text Hello.]]'], {
        env,
      })
      await bench.untilScreen(terminal, /Transcript saving is off/)
      await bench.untilEvent('Stop')
      await bench.untilScreen(terminal, /^❯\u00a0\s*$/m)
      const statusFile = bench.hasStatusFile(terminal)
      await bench.say(terminal, '/exit')
      await bench.ended(terminal)
      return { transcripts: bench.transcripts(), statusFile }
    },
  },
]
