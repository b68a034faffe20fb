import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keys, leave, made, type Scenario, touch } from '../scenario.ts'

export const permissions: Scenario[] = [
  {
    name: 'Enter on the second choice allows and switches to acceptEdits',
    play: async bench => {
      const terminal = await bench.ready()
      await bench.say(terminal, 'Write. [[write one.txt|hello]] [[write two.txt|again]] [[text Done.]]')
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /Do you want to create one\.txt\?/)
      terminal.send(keys.down)
      await bench.untilScreen(terminal, /❯ 2\. Yes/)
      terminal.send(keys.enter)
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
      return readFileSync(join(bench.cwd, 'two.txt'), 'utf8')
    },
  },
  {
    name: 'a digit denies, Esc denies, a digit allows',
    play: async bench => {
      const terminal = await bench.ready()
      const answers: boolean[] = []
      for (const [index, key] of ['4', keys.esc, '1'].entries()) {
        await bench.say(terminal, touch(bench))
        await bench.untilEvent('PermissionRequest', index + 1)
        await bench.untilDialog(terminal, /Do you want to proceed\?/)
        terminal.send(key)
        await bench.untilStatus('idle')
        answers.push(made(bench))
      }
      await leave(bench, terminal)
      return answers
    },
  },
  {
    name: 'acceptEdits mode edits files without asking',
    play: async bench => {
      const terminal = bench.start(['--permission-mode', 'acceptEdits', '--settings', bench.hooks.settings()])
      await bench.untilReady(terminal)
      const edit = JSON.stringify({ file_path: 'a.txt', old_string: 'one', new_string: 'two' })
      const steps = `[[write a.txt|one]] [[tool Edit ${edit}]] [[tool Read {"file_path":"a.txt"}]] [[bash touch b]]`
      await bench.say(terminal, `Edit. ${steps} [[text Done.]]`)
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
    },
  },
  {
    name: 'dontAsk mode denies without asking',
    play: async bench => {
      const terminal = bench.start(['--permission-mode', 'dontAsk', '--settings', bench.hooks.settings()])
      await bench.untilReady(terminal)
      await bench.say(terminal, touch(bench))
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
      return made(bench)
    },
  },
  {
    name: 'a question is answered, and another one is cancelled',
    play: async bench => {
      const terminal = await bench.ready()
      await bench.say(terminal, `Ask. [[tool AskUserQuestion ${question}]] [[text Thanks.]]`)
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /^ ?Which one\?/m)
      terminal.send('2')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await bench.say(terminal, `Once more. [[tool AskUserQuestion ${question}]] [[text Thanks.]]`)
      await bench.untilEvent('PermissionRequest', 2)
      await bench.untilDialog(terminal, /^ ?Which one\?/m)
      terminal.send(keys.esc)
      await leave(bench, terminal)
    },
  },
  {
    name: 'a plan is approved',
    play: async bench => {
      const terminal = bench.start(['--permission-mode', 'plan', '--settings', bench.hooks.settings()])
      await bench.untilReady(terminal)
      await bench.say(terminal, 'Plan. [[plan # My plan]] [[tool ExitPlanMode {}]] [[text Planned.]]')
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /Ready to code\?/)
      terminal.send('2')
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
    },
  },
]

const question = JSON.stringify({
  questions: [
    {
      question: 'Which one?',
      header: 'Pick',
      options: [
        { label: 'Alpha', description: 'first' },
        { label: 'Beta', description: 'second' },
      ],
      multiSelect: false,
    },
  ],
})
