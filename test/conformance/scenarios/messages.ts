import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { keys, leave, made, type Scenario, touch, untilAtRest } from '../scenario.ts'
import type { Terminal } from '../terminal.ts'

const stash = '\u0013'
const submit = '\u0018\r'
const up = '\u001b[A'
const clear = '\u0015'

/** Between a paste and the keys that submit it, as agenc leaves it. */
const afterPasteMs = 150
/** Long enough to see that nothing happens. */
const nothingMs = 600

async function paste(terminal: Terminal, text: string): Promise<void> {
  terminal.send(`\u001b[200~${text}\u001b[201~`)
  await sleep(afterPasteMs)
}

/** The text in the prompt box. */
function box(terminal: Terminal): string {
  return terminal.screen().split('❯\u00a0').at(-1)!.split('─')[0]!.trim()
}

/** What the transcript says about queued prompts, and about prompts that the model got. */
function deliveries(bench: Bench): unknown[] {
  const [name] = bench.transcripts()
  const text = name ? readFileSync(join(bench.claude.config, 'projects', name), 'utf8') : ''
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .flatMap(({ type, operation, content, reason, attachment, message }) => {
      if (type === 'queue-operation') return [[operation, content ?? null, reason ?? null]]
      if (attachment?.type === 'queued_command') return [['queued_command', attachment.prompt]]
      const said = type === 'user' ? message.content : null
      // The two write an interruption in different forms.
      return typeof said === 'string' && !said.startsWith('[') ? [['user', said]] : []
    })
}

export const messages: Scenario[] = [
  {
    name: 'Ctrl-S puts a draft aside, Ctrl-X Enter submits, and the draft comes back',
    play: async bench => {
      const terminal = await bench.ready()
      await paste(terminal, 'my own draft')
      await bench.until(() => box(terminal) === 'my own draft', 'the draft')
      terminal.send(stash)
      await bench.until(() => box(terminal) === '', 'an empty box')
      await paste(terminal, 'Hello. [[text Hi.]] \\')
      terminal.send(submit)
      await bench.untilEvent('Stop')
      await bench.until(() => box(terminal) === 'my own draft', 'the draft again')
      await untilAtRest(bench, terminal)
      terminal.send(stash)
      await bench.until(() => box(terminal) === '', 'an empty box')
      terminal.send(stash)
      await bench.until(() => box(terminal) === 'my own draft', 'the draft once more')
      terminal.send(keys.ctrlC)
      await bench.until(() => box(terminal) === '', 'an empty box')
      await leave(bench, terminal)
      return deliveries(bench)
    },
  },
  {
    name: 'Ctrl-X Enter does nothing in a permission dialog, and a paste is lost there',
    play: async bench => {
      const terminal = await bench.ready()
      await bench.say(terminal, touch(bench))
      await bench.untilDialog(terminal, /Do you want to proceed/)
      terminal.send(stash)
      await paste(terminal, 'not for the dialog')
      terminal.send(submit)
      await sleep(nothingMs)
      const after = { made: made(bench), status: bench.status?.status }
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      const left = box(terminal)
      await leave(bench, terminal)
      return { after, left, deliveries: deliveries(bench) }
    },
  },
  {
    name: 'a hook that answers "block" sends a prompt back to the box, also one that is queued',
    play: async bench => {
      const gate = join(bench.root, 'gate')
      mkdirSync(join(bench.cwd, '.claude'))
      const command = `[ -e ${gate} ]&&echo '{"decision":"block","reason":"not now"}';exit 0`
      const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] }
      writeFileSync(join(bench.cwd, '.claude', 'settings.json'), JSON.stringify({ hooks }))
      const terminal = await bench.ready()
      writeFileSync(gate, '')
      await paste(terminal, 'Blocked. [[text Hi.]]')
      terminal.send(submit)
      await bench.untilEvent('UserPromptSubmit')
      await bench.untilScreen(terminal, /operation blocked by hook/)
      await bench.until(() => box(terminal).startsWith('Blocked.'), 'the prompt in the box')
      await bench.untilStatus('idle')
      rmSync(gate)
      terminal.send(submit)
      await bench.untilEvent('Stop')
      await untilAtRest(bench, terminal)
      await bench.say(terminal, 'Talk. [[text Some words.]]+[[hang]]')
      await bench.untilScreen(terminal, /● Some words\./)
      writeFileSync(gate, '')
      await paste(terminal, 'Blocked too.')
      terminal.send(submit)
      await bench.untilEvent('UserPromptSubmit', 4)
      await bench.until(() => box(terminal) === 'Blocked too.', 'the second prompt in the box')
      rmSync(gate)
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      terminal.send(keys.ctrlC)
      await bench.until(() => box(terminal) === '', 'an empty box')
      await leave(bench, terminal)
      return deliveries(bench)
    },
  },
  {
    name: 'prompts for a busy Claude: after the turn, taken back, and after an interruption',
    play: async bench => {
      const terminal = await bench.ready()
      await bench.say(terminal, 'Go. [[text Some words.]]+[[hang]]')
      await bench.untilScreen(terminal, /● Some words\./)
      await paste(terminal, 'Taken back.')
      terminal.send(submit)
      await bench.untilEvent('UserPromptSubmit', 2)
      await bench.until(() => deliveries(bench).length === 2, 'the queued prompt in the transcript')
      terminal.send(up)
      await bench.until(() => box(terminal) === 'Taken back.', 'the prompt in the box')
      terminal.send(clear)
      await bench.until(() => box(terminal) === '', 'an empty box')
      for (const [index, text] of ['Same. [[text a]]', 'Same. [[text a]]', 'Other. [[text b]]'].entries()) {
        await paste(terminal, text)
        terminal.send(submit)
        await bench.untilEvent('UserPromptSubmit', 3 + index)
      }
      terminal.send(keys.esc)
      await bench.untilEvent('Stop')
      await untilAtRest(bench, terminal)
      await bench.until(() => deliveries(bench).length === 12, 'all prompts in the transcript')
      await leave(bench, terminal)
      return deliveries(bench)
    },
  },
  {
    name: 'a prompt for a Claude that runs a tool reaches the model after the tool',
    play: async bench => {
      const terminal = await bench.ready(['--allowedTools', 'Bash'])
      const release = join(bench.root, 'release')
      const command = `echo yes > ${bench.root}/running; while [ ! -e ${release} ]; do sleep 0.1; done`
      await bench.say(terminal, `Run. [[bash ${command}]] [[text Done.]]`)
      await bench.untilFile('running')
      await paste(terminal, 'In the middle. [[text Done.]]')
      terminal.send(submit)
      await bench.untilEvent('UserPromptSubmit', 2)
      await bench.until(() => deliveries(bench).length === 2, 'the queued prompt in the transcript')
      writeFileSync(release, '')
      await bench.untilEvent('Stop')
      await untilAtRest(bench, terminal)
      await bench.until(() => deliveries(bench).length === 4, 'all prompts in the transcript')
      await leave(bench, terminal)
      return deliveries(bench)
    },
  },
]
