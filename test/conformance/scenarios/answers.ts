import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { keys, leave, type Scenario } from '../scenario.ts'

/** A PermissionRequest hook that waits until the scenario gives it an answer. */
function waitingHook(bench: Bench) {
  const file = join(bench.root, 'answer')
  const command = `echo $$ >${bench.root}/hook; until [ -e ${file} ]; do sleep 0.05; done; cat ${file}; rm ${file}`
  return {
    settings: bench.hooks.settings({ PermissionRequest: { command, timeout: 600 } }),
    pid: async () => Number(await bench.untilFile('hook')),
    answer: (decision: object) => {
      const output = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
      writeFileSync(`${file}.draft`, JSON.stringify(output))
      renameSync(`${file}.draft`, file)
    },
  }
}

/** The decisions of hooks that Claude took, as its transcript records them. */
function hookDecisions(bench: Bench): unknown[] {
  return bench
    .transcripts()
    .flatMap(path => readFileSync(join(bench.claude.config, 'projects', path), 'utf8').split('\n'))
    .filter(line => line.includes('hook_permission_decision'))
    .map(line => JSON.parse(line).attachment)
}

function asked(question: string, labels: readonly string[], multiSelect = false) {
  const options = labels.map(label => ({ label, description: `about ${label}` }))
  return { question, header: 'Pick', options, multiSelect }
}

const one = { questions: [asked('Which one?', ['Alpha', 'Beta'])] }
const askOne = `[[tool AskUserQuestion ${JSON.stringify(one)}]] [[text Thanks.]]`
const theQuestion = /☐ Pick\s+Which one\?/

export const answers: Scenario[] = [
  {
    name: 'a hook answers questions if it repeats them, and its denial is the result',
    play: async bench => {
      const terminal = await bench.ready()
      const [colour, sizes] = ['Which colour?', 'Which "sizes"?\n(all)']
      const input = {
        questions: [asked(colour, ['Blue', 'Red']), asked(sizes, ['S', 'L', 'M, or so'], true)],
      }
      const both = { [colour]: 'Blue', [sizes]: 'S, L' }
      const inputs = [
        { ...input, answers: both },
        { ...input, answers: { ...both, [sizes]: ['S', 'L'] } },
        { ...input, answers: { ...both, [sizes]: 'S, M, or so' } },
        { ...input, answers: { [colour]: 'some "own"\nwords ü 漢' } },
        { ...input, answers: both, annotations: { [colour]: { notes: 'my note' } } },
        input,
        { answers: both },
      ]
      const allowed = inputs.map(updatedInput => ({ behavior: 'allow', updatedInput }))
      const decisions = [...allowed, { behavior: 'deny', message: 'ask later' }]
      for (const [index, decision] of decisions.entries()) {
        bench.hooks.answer('PermissionRequest', { decision })
        await bench.say(terminal, `Ask ${index}. [[tool AskUserQuestion ${JSON.stringify(input)}]]`)
        await bench.untilEvent('Stop', index + 1)
        await bench.untilStatus('idle')
      }
      await leave(bench, terminal)
      return hookDecisions(bench)
    },
  },
  {
    name: 'a bare approval leaves a question to its dialog',
    play: async bench => {
      const terminal = await bench.ready()
      bench.hooks.answer('PermissionRequest', { decision: { behavior: 'allow' } })
      await bench.say(terminal, `Ask. ${askOne}`)
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, theQuestion)
      terminal.send('2')
      await bench.untilEvent('Stop')
      await leave(bench, terminal)
      return hookDecisions(bench)
    },
  },
  {
    name: 'while a hook waits, it can close the dialog of a question, and Esc and a digit close it too',
    play: async bench => {
      const hook = waitingHook(bench)
      const terminal = bench.start(['--permission-mode', 'manual', '--settings', hook.settings])
      await bench.untilReady(terminal)
      const ask = async (count: number) => {
        await bench.say(terminal, `Ask ${count}. ${askOne}`)
        await bench.untilEvent('PermissionRequest', count)
        await bench.untilDialog(terminal, theQuestion)
      }
      await ask(1)
      hook.answer({ behavior: 'allow', updatedInput: { ...one, answers: { 'Which one?': 'Alpha' } } })
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await ask(2)
      const cancelled = await hook.pid()
      terminal.send(keys.esc)
      await bench.untilStatus('idle')
      await bench.untilGone(cancelled)
      await ask(3)
      terminal.send('2')
      await bench.untilEvent('Stop', 2)
      await leave(bench, terminal)
      return hookDecisions(bench)
    },
  },
  {
    name: 'a hook denies a plan, approves it with an input, and changes the mode',
    play: async bench => {
      const hook = waitingHook(bench)
      const terminal = bench.start(['--permission-mode', 'plan', '--settings', hook.settings])
      await bench.untilReady(terminal)
      const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
      const decisions = [
        { behavior: 'deny', message: 'think more' },
        { behavior: 'allow', updatedInput: {}, updatedPermissions },
      ]
      for (const [index, decision] of decisions.entries()) {
        await bench.say(terminal, `Plan ${index}. [[plan # My plan]] [[tool ExitPlanMode {}]] [[text Over.]]`)
        await bench.untilEvent('PermissionRequest', index + 1)
        await bench.untilDialog(terminal, /Ready to code\?/)
        hook.answer(decision)
        await bench.untilEvent('Stop', index + 1)
        await bench.untilStatus('idle')
      }
      await leave(bench, terminal)
      return hookDecisions(bench)
    },
  },
]
