import { expect, test } from 'vitest'
import { approvalBox } from '../helpers/approvals.ts'
import { startHeadless, untilResult } from '../helpers/headless.ts'
import { realSessionBox, realWrapperBox } from '../helpers/real-session.ts'
import { waitFor } from '../helpers/wait.ts'

const asked = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: 'Pick',
  options: labels.map(label => ({ label, description: `about ${label}` })),
  multiSelect,
})
const colour = asked('Which "colour"?', ['Blue', 'Red'])
const sizes = asked('Which sizes?\n漢字', ['S', 'L'], true)
const ask = (...questions: object[]) =>
  `go [[tool AskUserQuestion ${JSON.stringify({ questions })}]] [[text over]]`

test('questions and plans of the real Claude are answered by mission answer, in the window, and by Esc', {
  timeout: 120_000,
}, async ctx => {
  const real = await realSessionBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const box = await approvalBox({ approvals: { mode: 'all', delay_ms: 0 } }, { box: real.box })
  // The model answers in this process, which must not wait for a command.
  const answer = (...words: string[]) => box.agencAsync(['mission', 'answer', box.id, ...words])
  const press = (key: string) =>
    waitFor(`${key} to work`, async () => {
      box.press(key)
      return waitFor('the end of the dialog', () => box.now().pending.length === 0, 1_000).catch(() => false)
    })
  const results = () =>
    box
      .transcript()
      .split('\n')
      .filter(line => line.includes('"tool_result"'))
      .flatMap(line => JSON.parse(line).message?.content ?? [])
      .map(({ content }) => String(content))
  const last = () => box.approvals().at(-1)

  await box.say(ask(colour, sizes))
  await box.asked()
  expect(
    await answer('--choice', 'blue', '--choice', 'S', '--choice', 'L', '--notes', '1=dark'),
  ).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Answered "Blue / S, L"'),
  })
  expect(box.agenc(['approvals', 'ls']).stdout).not.toContain('answer?')
  await box.settled()
  expect(results().at(-1)).toContain('"Which "colour"?"="Blue" notes: dark, "Which sizes?\n漢字"="S, L"')

  await box.say(ask(colour))
  await box.asked()
  await press('2')
  await box.settled()
  expect(last()).toMatchObject({
    decision: 'allow',
    by: 'user',
    answer: { answers: [{ question: 'Which "colour"?', answer: 'Red' }] },
  })

  await box.say(ask(colour))
  await box.asked()
  await press('Escape')
  await box.settled()
  expect(last()).toMatchObject({ decision: 'deny', by: 'user', answer: null })
  expect((await answer('--choice', 'Blue', '--request', '3')).stderr).toContain(
    'already answered in its window',
  )

  await box.say(ask(colour))
  await box.asked()
  expect(await answer('deny', '--message', 'ask later')).toMatchObject({ exitCode: 0 })
  await box.settled()
  expect(results().at(-1)).toBe('ask later')

  box.press('BTab')
  box.press('BTab')
  await waitFor('plan mode', () => box.screen().includes('plan mode on'))
  await box.say('go [[plan # My plan]] [[tool ExitPlanMode {}]] [[text over]]')
  await box.asked()
  expect(await answer('allow', '--mode', 'acceptEdits')).toMatchObject({ exitCode: 0 })
  expect(await box.settled()).toMatchObject({ permission_mode: 'acceptEdits' })
  expect(results().at(-1)).toContain('approved your plan')
  expect(last()).toMatchObject({ decision: 'allow', by: 'answer', answer: { mode: 'acceptEdits' } })
})

test('a question of the real Claude without a terminal is answered by mission answer', {
  timeout: 60_000,
}, async ctx => {
  const real = await realWrapperBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const { box } = real
  const id = startHeadless(box, ask(colour))
  await box.until(id, 'waiting:question')
  expect(await box.agencAsync(['mission', 'answer', id, '--choice', 'Red'])).toMatchObject({ exitCode: 0 })
  expect((await untilResult(box, id)).parsed).toMatchObject({ text: 'over', is_error: false })
  expect(box.agencJson(['approvals', 'ls'])).toMatchObject([
    { by: 'answer', answer: { answers: [{ question: 'Which "colour"?', answer: 'Red' }] } },
  ])
  expect(box.agenc(['approvals', 'ls']).stdout).not.toContain('answer?')
})
