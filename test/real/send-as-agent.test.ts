import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { realSessionBox, runBeside, transcriptOf } from '../helpers/real-session.ts'
import type { SessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const rounds = Number(process.env.AGENC_TEST_SENDS ?? 5)

/** The messages of other sessions that Claude was told, each time that it was. */
function told(box: SessionBox, sessionId: string): string[] {
  return transcriptOf(box, sessionId).flatMap(({ type, message, attachment, origin }) => {
    if (attachment?.type === 'queued_command' && attachment.origin?.kind === 'peer')
      return [attachment.prompt]
    if (type !== 'user' || origin?.kind !== 'peer') return []
    return [/^Another Claude session sent a message:\n([\s\S]*?)\n\nThis came/.exec(message.content)?.[1]]
  })
}

test('messages of other agents in all states of the real Claude: none lost, none doubled, no dialog answered', {
  timeout: 60_000 + rounds * 20_000,
}, async context => {
  const real = await realSessionBox()
  if ('missing' in real) return context.skip(real.missing)
  const { box } = real
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const { id: window, mission } = await box.start()
  const { session_id: sessionId } = box.mission(mission)
  const screen = () => box.tmux('capture-pane', '-p', '-t', window)
  const keys = (...args: string[]) => box.tmux('send-keys', '-t', window, ...args)
  const sent: { text: string; outcome: string; state: string }[] = []
  const tell = async (state: string, text: string) => {
    const out = await runBeside(box, ['mission', 'send', mission, '--as', 'agent', '--json', '--', text])
    const { outcome, reason } = JSON.parse(out)
    sent.push({ text, outcome, state })
    expect({ outcome, reason, text }).toMatchObject({
      outcome: expect.stringMatching(/taken|queued/),
      reason: null,
    })
    return outcome
  }
  const ask = (round: number) =>
    tell('asks', `Ask ${round}. [[bash touch ${box.root}/made-${round}]] [[text Asked.]]`)
  const states: ((round: number) => Promise<void>)[] = [
    async () => {
      for (const text of ['exit', '/help', '!touch made-by-shell', 'Long. '.repeat(15_000).trim()]) {
        expect(await tell('idle', text)).toBe('taken')
        await box.waitForState(mission, 'idle')
      }
    },
    async round => {
      await ask(round)
      await box.waitForState(mission, 'waiting')
      expect(await tell('dialog', `Beside a dialog ${round}.`)).toBe('queued')
      await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          tell('dialog', index % 3 === 0 ? 'Same words.' : `${round} at once ${index}.`),
        ),
      )
      expect(box.mission(mission).state).toBe('waiting')
      await runBeside(box, ['mission', 'answer', mission, 'deny'])
    },
    async round => {
      await tell('begins', `Begin ${round}. [[delay 700]] [[text Begun.]]`)
      await Promise.all([1, 2, 3].map(number => tell('busy', `Busy ${round} ${number}.`)))
    },
    async round => {
      keys('-l', 'my own draft')
      await waitFor('the draft', () => screen().includes('my own draft'))
      expect(await tell('draft', `Beside a draft ${round}.`)).toBe('taken')
      expect(screen().split('❯').at(-1)).toContain('my own draft')
      keys('C-u')
      await waitFor('an empty box', () => !screen().split('❯').at(-1)!.includes('my own draft'))
    },
    async round => {
      keys('C-o')
      await waitFor('the view', () => /Showing detailed transcript|ctrl\+o/i.test(screen()))
      expect(await tell('view', `Beside a view ${round}.`)).toBe('taken')
      keys('C-o')
      await box.waitForState(mission, 'idle')
    },
  ]
  for (let round = 0; round < rounds; round++) {
    await states[round % states.length]!(round)
    await waitFor('the messages to be taken', () => box.mission(mission).queued.length === 0)
    await box.waitForState(mission, 'idle')
  }
  await waitFor('the last message in the transcript', () => told(box, sessionId).length >= sent.length)
  expect(told(box, sessionId).sort()).toEqual(sent.map(({ text }) => text).sort())
  expect(readdirSync(box.root).filter(name => name.startsWith('made'))).toEqual([])
  const counts: Record<string, number> = {}
  for (const { state, outcome } of sent)
    counts[`${state}: ${outcome}`] = (counts[`${state}: ${outcome}`] ?? 0) + 1
  if (process.env.AGENC_TEST_SENDS) console.log(`${sent.length} messages`, counts)
})
