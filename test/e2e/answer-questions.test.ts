import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ApprovalJson } from '../../src/commands/approvals/ls.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { listTree } from '../../src/system/process-tree.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { startHeadless, untilResult } from '../helpers/headless.ts'
import { tryKill, untilGone } from '../helpers/processes.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { press, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const asked = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: 'Pick',
  options: labels.map(label => ({ label, description: `about ${label}` })),
  multiSelect,
})
const colour = asked('Which colour?', ['Blue', 'Red'])
const sizes = asked('Which sizes?', ['S', 'L', 'XL'], true)
const tool = (...questions: object[]) => `[[tool AskUserQuestion ${JSON.stringify({ questions })}]]`

interface Asking extends WrapperBox {
  id: string
  terminal: Terminal
  /** Makes Claude do this, and waits until it asks. */
  asks(script: string, kind?: 'question' | 'plan' | 'permission'): Promise<void>
  answer(...words: string[]): ReturnType<WrapperBox['agenc']>
  approvals(): ApprovalJson[]
  /** The results of the tools, as the model gets them. */
  results(): string[]
}

async function askingBox(...args: string[]): Promise<Asking> {
  const box = wrapperBox()
  const { id, terminal } = await box.mission(...args)
  return {
    ...box,
    id,
    terminal,
    asks: async (script, kind = 'question') => {
      await say(terminal, `go ${script} [[text over]]`)
      await box.until(id, `waiting:${kind}`)
      const isOpen = ({ by }: ApprovalJson) => by === null
      await waitFor('the request', () => box.agencJson<ApprovalJson[]>(['approvals', 'ls']).some(isOpen))
    },
    answer: (...words) => box.agenc(['mission', 'answer', id, ...words]),
    approvals: () => box.agencJson(['approvals', 'ls']),
    results: () =>
      readFileSync(box.record(id).transcript_path!, 'utf8')
        .split('\n')
        .filter(line => line.includes('"tool_result"'))
        .flatMap(line => JSON.parse(line).message.content)
        .map(({ content }) => content),
  }
}

/** Claude, and the hooks that it runs. */
function processesOf(claudePid: number) {
  return listTree(systemRunner, systemProbe(systemRunner), claudePid)
}

describe('questions', () => {
  test('are answered by labels, own words and notes, and Claude gets its own texts back', async () => {
    const box = await askingBox()
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    const odd = asked(`Say "it's" \\ so?\nΩ 漢字 🙂 ${secret}`, ['"A"\tb', `${secret}`, 'ß ﷽'])
    await box.asks(tool(colour, sizes, odd, asked('Colour of the sizes?', ['Blue', 'No'])))
    const missing = box.answer('--choice', 'XL', '--choice', 'blue')
    expect(missing).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('question 3') })
    const done = box.answer(
      ...['--choice', '1=Blue', '--choice', 'XL', '--choice', 'S', '--choice', '"A" b'],
      ...['--text', 'own "words"\n漢 = 2', '--notes', '1=dark'],
    )
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Answered "Blue / XL, S / ') })
    await box.ready(box.id)
    expect(box.results()).toEqual([
      `The user answered: "Which colour?"="Blue" notes: dark, "Which sizes?"="XL, S", "${odd.question}"=""A"\tb", ` +
        '"Colour of the sizes?"="own "words"\n漢 = 2". Read the answers carefully — they may request clarification, ' +
        'changes, or that you not proceed — and follow what they actually say.',
    ])
    const [row] = box.approvals()
    expect(row).toMatchObject({ tool: 'AskUserQuestion', decision: 'allow', by: 'answer', rule: null })
    expect(row!.answer!.answers).toMatchObject([
      { question: 'Which colour?', answer: 'Blue', notes: 'dark' },
      { answer: 'XL, S', notes: null },
      { answer: '"A"\tb' },
      { answer: 'own "words"\n漢 = 2' },
    ])
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(box.agenc(['approvals', 'ls']).stdout).toMatch(
      / answer +AskUser.*Which colour\? \/ .* → Blue, dark/,
    )
  })

  test('are shown with the commands that answer them, denied with a message, and never answered by a rule', async () => {
    const box = await askingBox('--approve', 'all')
    box.agenc(['hold'])
    await box.asks(tool(colour))
    const shown = box.agenc(['mission', 'show', box.id]).stdout
    const short = box.id.slice(0, 8)
    expect(shown).toMatch(/^pending +1: question Which colour\?, since/m)
    expect(shown).toMatch(/^choices +Blue \| Red$/m)
    expect(shown).toMatch(new RegExp(`^answer +agenc mission answer ${short} --choice Blue$`, 'm'))
    for (const words of [[], ['allow']])
      expect(box.answer(...words)).toMatchObject({
        exitCode: 64,
        stderr: expect.stringContaining(
          `Asks: Which colour?\n  - Blue: about Blue\n  - Red: about Red\nAnswer it with:\n  agenc mission answer ${short} --choice Blue\n`,
        ),
      })
    expect(box.answer('--choice', 'Green').stderr).toContain('no question has the choice "Green"')
    expect(box.answer('allow', '--choice', 'Blue', '--mode', 'plan').exitCode).toBe(64)
    expect(box.answer('deny', '--choice', 'Blue').exitCode).toBe(64)
    expect(box.answer('deny', '--message', 'ask me tomorrow')).toMatchObject({
      exitCode: 0,
      stderr: 'Denied: question Which colour?\n',
    })
    await box.ready(box.id)
    expect(box.results()).toEqual(['ask me tomorrow'])
    const answer = { message: 'ask me tomorrow' }
    expect(box.approvals()).toMatchObject([{ decision: 'deny', by: 'answer', answer }])
  })

  test('that were answered in the window first, or there are cancelled, say so and stay as they are', async () => {
    const box = await askingBox()
    await box.asks(tool(colour))
    await press(box.terminal, '2', () => box.record(box.id).state !== 'waiting')
    await box.ready(box.id)
    const { claude_pid } = box.record(box.id)
    await waitFor('the end of the hook', () => processesOf(claude_pid!).length === 1)
    expect(box.answer('--choice', 'Blue', '--request', '1')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('was already answered in its window'),
    })
    expect(box.answer('--choice', 'Blue')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has no open request: the last one was answered in its window'),
    })
    await box.asks(tool(colour))
    await press(box.terminal, '\u001b', () => box.record(box.id).state !== 'waiting')
    await box.ready(box.id)
    expect(box.answer('--choice', 'Blue', '--request', '2').exitCode).toBe(1)
    expect(box.approvals()).toMatchObject([
      { decision: 'allow', by: 'user', answer: { answers: [{ question: 'Which colour?', answer: 'Red' }] } },
      { decision: 'deny', by: 'user', answer: null },
    ])
    expect(box.results()[0]).toContain('"Which colour?"="Red"')
  })

  test('answered in the window while the wrapper hangs: the command that comes later is refused', async () => {
    const box = await askingBox()
    await box.asks(tool(colour))
    const { wrapper_pid } = box.record(box.id)
    const continueWrapper = () => tryKill(wrapper_pid!, 'SIGCONT')
    onTestFinished(continueWrapper)
    tryKill(wrapper_pid!, 'SIGSTOP')
    await press(box.terminal, '2', () => box.terminal.screen().includes('over'))
    const answering = box.agencAsync(['mission', 'answer', box.id, '--choice', 'Blue'])
    const { events } = pathsAt(box.agencHome).mission(box.id as MissionId)
    await waitFor('the command', () => readdirSync(events).some(name => name.startsWith('command-')))
    continueWrapper()
    expect(await answering).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('was already answered in its window'),
    })
    expect(box.approvals()).toMatchObject([{ by: 'user', answer: { answers: [{ answer: 'Red' }] } }])
  })

  test('get only one of two answers that are given at once', async () => {
    const box = await askingBox()
    await box.asks(tool(colour))
    const labels = ['Blue', 'Red']
    const ran = await Promise.all(
      labels.map(label => box.agencAsync(['mission', 'answer', box.id, '--choice', label, '--request', '1'])),
    )
    expect(ran.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1])
    const winner = labels[ran.findIndex(({ exitCode }) => exitCode === 0)]
    const loser = ran.find(({ exitCode }) => exitCode === 1)!
    expect(loser.stderr).toContain("another 'mission answer' was faster")
    await box.ready(box.id)
    expect(box.results()).toEqual([expect.stringContaining(`"Which colour?"="${winner}"`)])
    expect(box.approvals()).toMatchObject([{ by: 'answer', answer: { answers: [{ answer: winner }] } }])
  })

  test('end with a mission that is stopped, and with a wrapper that is killed', async () => {
    const box = await askingBox()
    await box.asks(tool(colour))
    expect(box.agenc(['mission', 'stop', box.id])).toMatchObject({ exitCode: 0 })
    expect(box.approvals()).toMatchObject([{ decision: 'ask', by: 'timeout', answer: null }])

    const { id, terminal } = await box.mission()
    await say(terminal, `go ${tool(colour)} [[text over]]`)
    await box.until(id, 'waiting:question')
    const { wrapper_pid, claude_pid } = box.record(id)
    await waitFor('the request', () => box.approvals().length === 2)
    const hook = await waitFor('the hook', () => processesOf(claude_pid!)[1])
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(hook.pid, claude_pid)
    expect(box.agenc(['mission', 'answer', id, '--choice', 'Blue'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has no open request'),
    })
    expect(box.approvals()[1]).toMatchObject({ decision: 'ask', by: 'timeout', answer: null })
  })
})

test('a mission without a terminal gets its answers too', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, `go ${tool(colour)} [[text over]]`)
  await box.until(id, 'waiting:question')
  const { stdout } = await box.agencAsync(['mission', 'answer', id, '--choice', 'Red', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ tool: 'AskUserQuestion', decision: 'allow', confirmed: true })
  expect((await untilResult(box, id)).parsed).toMatchObject({ text: 'over', is_error: false })
  expect(box.agencJson(['approvals', 'ls'])).toMatchObject([
    { by: 'answer', answer: { answers: [{ question: 'Which colour?', answer: 'Red' }] } },
  ])
  expect(readFileSync(box.record(id).transcript_path!, 'utf8')).toContain('\\"Which colour?\\"=\\"Red\\"')
})

test('a plan is denied with a message, allowed, and allowed with a mode', async () => {
  const box = await askingBox('--permission-mode', 'plan')
  const plan = '[[plan # My plan]] [[tool ExitPlanMode {}]]'
  await box.asks(plan, 'plan')
  expect(box.answer('--choice', 'Yes')).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('asks no question'),
  })
  expect(box.answer().stderr).toMatch(
    /Asks you to approve its plan\n\n# My plan\n.* allow --mode acceptEdits/s,
  )
  expect(box.answer('deny', '--message', 'think more')).toMatchObject({
    exitCode: 0,
    stderr: 'Denied: plan # My plan\n',
  })
  await box.ready(box.id)
  expect(box.record(box.id).reported_permission_mode).toBe('plan')
  await box.asks(plan, 'plan')
  expect(box.answer('allow', '--mode', 'acceptEdits')).toMatchObject({
    exitCode: 0,
    stderr: 'Allowed: plan # My plan\n',
  })
  await box.ready(box.id)
  expect(box.record(box.id).reported_permission_mode).toBe('acceptEdits')
  expect(box.results().filter(text => /Approved|think/.test(text))).toEqual([
    'think more',
    expect.stringContaining('## Approved Plan:\n# My plan'),
  ])
  expect(box.approvals()).toMatchObject([
    { tool: 'ExitPlanMode', decision: 'deny', by: 'answer', answer: { message: 'think more' } },
    { tool: 'ExitPlanMode', decision: 'allow', by: 'answer', answer: { mode: 'acceptEdits' } },
  ])
})

describe('on a terminal without an answer, the command shows the request and asks', () => {
  /** Presses Enter as soon as this is on the screen. */
  async function enterAt(terminal: Terminal, text: string | RegExp, keys = ''): Promise<void> {
    await terminal.waitForText(text)
    terminal.type(`${keys}\r`)
  }
  const down = '\u001b[B'

  test('to pick from the choices of each question, or for own words; Esc does nothing', async () => {
    const box = await askingBox()
    await box.asks(tool(colour, sizes, asked('Why?', ['A'])))
    const left = box.run(['mission', 'answer', box.id])
    await left.waitForText('about Blue')
    left.type('\u001b')
    expect(await left.exited).toBe(130)
    expect(box.record(box.id).state).toBe('waiting')
    const terminal = box.run(['mission', 'answer', box.id])
    await terminal.waitForText('Asks (2 of 3): Which sizes?')
    await enterAt(terminal, /Something else/, down)
    await enterAt(terminal, /\? Which sizes\?[\s\S]*◯ XL/, ` ${down}${down} `)
    await enterAt(terminal, /\? Why\?[\s\S]*❯ A/, down)
    await enterAt(terminal, 'Your answer:', 'because')
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('Answered "Red / S, XL / because"')
    await box.ready(box.id)
    expect(box.results()[0]).toContain('"Which colour?"="Red", "Which sizes?"="S, XL", "Why?"="because"')
  })

  test('to allow or deny a permission request or a plan, with a message or a mode', async () => {
    const box = await askingBox('--permission-mode', 'default')
    await box.asks('[[bash touch one]]', 'permission')
    const permission = box.run(['mission', 'answer', box.id])
    await enterAt(permission, /❯ Allow\n {2}Deny\n {2}Deny with a message/, down + down)
    await enterAt(permission, 'Message for Claude:', 'not that')
    expect(await permission.exited).toBe(0)
    await box.ready(box.id)
    expect(box.results()).toEqual(['not that'])
    await box.asks('[[plan # My plan]] [[tool ExitPlanMode {}]]', 'permission')
    expect(box.answer('allow')).toMatchObject({ exitCode: 0 })
    await box.until(box.id, 'waiting:plan')
    const plan = box.run(['mission', 'answer', box.id])
    await enterAt(plan, /❯ Allow\n {2}Allow and accept edits\n {2}Deny with a message/, down)
    expect(await plan.exited).toBe(0)
    await box.ready(box.id)
    expect(box.record(box.id).reported_permission_mode).toBe('acceptEdits')
  })
})
