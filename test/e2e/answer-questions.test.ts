import { test } from 'vitest'
import { say, wrapperBox } from '../helpers/wrapper-box.ts'

const asked = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: 'Pick',
  options: labels.map(label => ({ label, description: `about ${label}` })),
  multiSelect,
})
test('x', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  await say(
    terminal,
    `go [[tool AskUserQuestion ${JSON.stringify({ questions: [asked('Which?', ['A', 'B'])] })}]] [[text over]]`,
  )
  await box.until(id, 'waiting:question')
  const t = Date.now()
  console.log(box.agenc(['mission', 'answer', id, '--choice', 'B']), Date.now() - t)
  console.log(box.agenc(['approvals', 'ls']).stdout)
  await box.ready(id)
  console.log(box.agenc(['approvals', 'ls']).stdout)
})
