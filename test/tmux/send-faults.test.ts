import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quoteForShell } from '../../src/io/shell-quote.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { promptBox, prompts, startedToSend, type } from '../helpers/sending.ts'
import { standInClaude } from '../helpers/stand-in.ts'
import { waitFor } from '../helpers/wait.ts'

test('a Claude that stands still for seconds takes the message once, and never the draft', async () => {
  const { box, mission, window } = await startedToSend()
  await type(box, window, 'my own draft')
  const { claude_pid } = box.mission(mission)
  process.kill(claude_pid!, 'SIGSTOP')
  const started = Date.now()
  const sending = box.agencAsync(['mission', 'send', mission, 'Once. [[text Here.]]', '--json'])
  // The second press comes after three seconds, when the first one has not been reported.
  await waitFor('the second press', () => Date.now() - started > 4_500)
  process.kill(claude_pid!, 'SIGCONT')
  expect(JSON.parse((await sending).stdout)).toMatchObject({ outcome: 'taken' })
  await box.waitForState(mission, 'idle')
  await waitFor('the draft', () => promptBox(box, window).includes('my own draft'))
  expect(prompts(box, mission)).toEqual(['Once. [[text Here.]]'])
})

test('kill -9 while a message is on its way: with --queue it is delivered once, else not at all', async () => {
  const { box, mission } = await startedToSend()
  const { wrapper_pid, claude_pid } = box.mission(mission)
  process.kill(claude_pid!, 'SIGSTOP')
  const sending = [
    box.agencAsync(['mission', 'send', mission, 'Kept. [[text Here.]]', '--queue', '--json']),
    waitFor('the first message', () => box.mission(mission).queued.length === 1).then(() =>
      box.agencAsync(['mission', 'send', mission, 'Not kept.', '--json']),
    ),
  ]
  await waitFor('both messages', () => box.mission(mission).queued.length === 2)
  for (const pid of [wrapper_pid!, claude_pid!]) process.kill(pid, 'SIGKILL')
  await waitFor('their end', () => !isAlive(wrapper_pid!) && !isAlive(claude_pid!))
  const [kept, notKept] = (await Promise.all(sending)).map(({ stdout }) => JSON.parse(stdout))
  expect(kept).toMatchObject({ outcome: 'queued', kept: true })
  expect(notKept).toMatchObject({ outcome: 'not_taken', kept: false })
  expect(box.agenc(['mission', 'resume', mission, '--detach'])).toMatchObject({ exitCode: 0 })
  await waitFor('the message', () => prompts(box, mission).length > 0)
  await waitFor('its record', () => box.mission(mission).queued.length === 0)
  await box.waitForState(mission, 'idle')
  expect(prompts(box, mission)).toEqual(['Kept. [[text Here.]]'])
})

test('an older Claude takes messages only while it is idle, and the command says that it is less certain', async () => {
  const { box, mission } = await startedToSend({ claude: oldClaude() })
  const say = (text: string, ...options: string[]) =>
    JSON.parse(box.agenc(['mission', 'send', mission, text, ...options, '--json']).stdout)
  const taken = say('Hello. [[delay 1500]] [[text Hi.]]')
  expect(taken).toMatchObject({ outcome: 'taken', reason: expect.stringContaining('less certain') })
  expect(say('Now?')).toMatchObject({ outcome: 'not_taken', reason: expect.stringContaining('idle') })
  expect(say('Later. [[text Ho.]]', '--queue', '--wait')).toMatchObject({ outcome: 'taken', answer: 'Ho.' })
})

/** The stand-in under the name of a release without the keys that are safe in dialogs. */
function oldClaude(): string {
  const directory = temporaryDirectory()
  const current = standInClaude(directory)
  const path = join(directory, 'old-claude')
  const version = '[ "$1" = --version ]&&{ echo 2.1.197;exit; }'
  writeFileSync(path, `#!/bin/sh\n${version}\nexec ${quoteForShell(current)} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}
