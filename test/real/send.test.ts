import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { realSessionBox, runBeside, transcriptOf } from '../helpers/real-session.ts'
import type { SessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const rounds = Number(process.env.AGENC_TEST_SENDS ?? 12)

interface Sent {
  round: number
  state: string
  text: string
  outcome: string
  kept: boolean
  reason: string | null
}

/** What Claude was told, each time that it was. */
function said(box: SessionBox, sessionId: string): string[] {
  return transcriptOf(box, sessionId).flatMap(({ type, message, attachment }) => {
    if (type === 'user' && typeof message.content === 'string') return [message.content]
    return attachment?.type === 'queued_command' ? [attachment.prompt] : []
  })
}

/** Numbers that look random, and are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

test('messages in random states of the real Claude: none lost, none doubled, no dialog answered, every outcome true', {
  timeout: 60_000 + rounds * 15_000,
}, async context => {
  const real = await realSessionBox()
  if ('missing' in real) return context.skip(real.missing)
  const { box } = real
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const { id: window, mission } = await box.start()
  const { session_id: sessionId } = box.mission(mission)
  const random = randomNumbers(Number(process.env.AGENC_TEST_SEED ?? 7))
  const screen = () => box.tmux('capture-pane', '-p', '-t', window)
  const keys = (...args: string[]) => box.tmux('send-keys', '-t', window, ...args)
  const isReading = () => /detailed transcript/i.test(screen())
  const sent: Sent[] = []
  const drafts: string[] = []

  const send = async (round: number, state: string, text: string, ...options: string[]): Promise<Sent> => {
    const out = await runBeside(box, ['mission', 'send', mission, text, ...options, '--json'])
    const { outcome, kept, reason } = JSON.parse(out)
    sent.push({ round, state, text, outcome, kept, reason })
    return sent.at(-1)!
  }
  const idle = () => box.waitForState(mission, 'idle')
  const ask = async (round: number) => {
    const { outcome, reason } = await send(
      round,
      'asks',
      `Ask ${round}. [[bash touch ${box.root}/made-${round}]] [[text Asked.]]`,
    )
    expect(outcome, reason ?? '').toBe('taken')
  }
  const deny = async () => {
    await box.waitForState(mission, 'waiting')
    await runBeside(box, ['mission', 'answer', mission, 'deny'])
  }

  const besideDraft = async (round: number, state: string) => {
    const draft = `draft number ${round}`
    keys('-l', draft)
    if (state === 'draft') await waitFor('the draft', () => screen().includes(draft))
    await send(round, state, `Beside ${round}. [[text Fine.]]`)
    await waitFor('the draft again', () => screen().split('❯').at(-1)!.includes(draft))
    drafts.push(draft)
    keys('C-u')
    await waitFor('an empty box', () => !screen().split('❯').at(-1)!.includes(draft))
  }

  const states: Record<string, (round: number) => Promise<void>> = {
    idle: async round => {
      const { outcome } = await send(round, 'idle', `Idle ${round}. [[text Fine ${round}.]]`)
      expect(outcome).toBe('taken')
    },
    busy: async round => {
      await send(round, 'begins', `Begin ${round}. [[delay ${Math.round(random() * 1500)}]] [[text Begun.]]`)
      await send(round, 'busy', `Busy ${round}. [[text Busy too.]]`)
      await send(round, 'busy', `Busy ${round} again. [[text Busy too.]]`)
    },
    draft: round => besideDraft(round, 'draft'),
    // It gets all keys at once, also those that were pressed again because nothing was reported.
    frozen: async round => {
      const { claude_pid } = box.mission(mission)
      process.kill(claude_pid!, 'SIGSTOP')
      setTimeout(() => process.kill(claude_pid!, 'SIGCONT'), 4_500)
      await besideDraft(round, 'frozen')
    },
    permission: async round => {
      await ask(round)
      await box.waitForState(mission, 'waiting')
      const { outcome } = await send(round, 'permission', `Refused ${round}.`)
      expect(outcome).toBe('not_taken')
      const later = await send(round, 'permission', `Later ${round}. [[text Late.]]`, '--queue')
      expect(later).toMatchObject({ outcome: 'queued', kept: true })
      await deny()
    },
    race: async round => {
      await ask(round)
      await new Promise(resolve => setTimeout(resolve, random() * 400))
      await send(round, 'race', `Race ${round}. [[text Raced.]]`)
      await deny()
    },
    view: async round => {
      keys('C-o')
      await waitFor('the view', () => isReading())
      await send(round, 'view', `View ${round}. [[text Seen.]]`)
      keys('C-o')
      await waitFor('the conversation', () => !isReading())
    },
  }
  const slow = ['view', 'frozen']
  const names = Object.keys(states).filter(name => !slow.includes(name))
  for (let round = 0; round < rounds; round++) {
    const name = slow[[11, 5].indexOf(round % 12)] ?? names[Math.floor(random() * names.length)]!
    await states[name]!(round)
    await waitFor('the messages to be taken', () => box.mission(mission).queued.length === 0)
    await idle()
  }
  await waitFor('the last message in the transcript', async () => {
    const last = sent.findLast(({ outcome }) => outcome === 'taken')!
    return said(box, sessionId).includes(last.text)
  })

  const times = (text: string) => said(box, sessionId).filter(one => one === text).length
  const untrue = sent.filter(({ outcome, text }) => {
    if (outcome === 'taken' || outcome === 'queued') return times(text) !== 1
    return outcome === 'not_taken' ? times(text) !== 0 : times(text) > 1
  })
  expect(untrue).toEqual([])
  const unexpected = said(box, sessionId).filter(
    text => !sent.some(one => one.text === text) && !text.startsWith('['),
  )
  expect(unexpected).toEqual([])
  expect(readdirSync(box.root).filter(name => name.startsWith('made-'))).toEqual([])
  expect(drafts.some(draft => said(box, sessionId).some(text => text.includes(draft)))).toBe(false)
  if (process.env.AGENC_TEST_SENDS) console.log(`${sent.length} messages`, tally(sent))
})

function tally(sent: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { state, outcome, kept } of sent) {
    const key = `${state}: ${kept ? 'kept' : outcome}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
