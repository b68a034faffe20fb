import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { ApprovalJson } from '../../src/commands/approvals/ls.ts'
import { tryKill } from './processes.ts'
import { waitFor } from './wait.ts'
import { press, say, type WrapperBox } from './wrapper-box.ts'

const rules = [{ tool: 'Bash', match: 'touch *', decision: 'allow' }]
const delayMs = 2_500

/**
 * The user answers a request just before a rule's delay ends. The wrapper is suspended meanwhile, so its own answer to
 * the hook comes too late. This needs a terminal without tmux, which would continue a suspended process.
 */
export async function checkAnswerRace(box: WrapperBox): Promise<void> {
  const config = {
    claude: { permission_mode: 'default' },
    approvals: { mode: 'rules', delay_ms: delayMs, rules },
  }
  box.agenc(['config', 'set', 'stop.grace_ms', '5000'])
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const { id, terminal } = await box.mission()
  const made = (name: string) => existsSync(join(box.agencHome, 'missions', id, 'agent', name))
  const answered = (count: number) =>
    waitFor(`${count} answered requests`, () => {
      const rows = box.agencJson<ApprovalJson[]>(['approvals', 'ls'])
      const isCertain = !box.agenc(['approvals', 'ls']).stdout.includes('?')
      return rows.length === count && isCertain && rows.every(({ by }) => by !== null) && rows
    })

  await say(terminal, 'go [[bash touch one]] [[text First over.]]')
  expect(await answered(1)).toMatchObject([{ decision: 'allow', by: 'rule', rule: rules[0] }])
  await box.ready(id)

  await say(terminal, 'go [[bash touch two]] [[text Second over.]]')
  const { at } = await waitFor(
    'the second request',
    () => box.agencJson<ApprovalJson[]>(['approvals', 'ls'])[1],
  )
  await terminal.waitForText('Do you want')
  const { wrapper_pid } = box.record(id)
  const continueWrapper = () => tryKill(wrapper_pid!, 'SIGCONT')
  onTestFinished(continueWrapper)
  tryKill(wrapper_pid!, 'SIGSTOP')
  await press(terminal, '1', () => made('two'))
  await terminal.waitForText('Second over.')
  await waitFor('the end of the delay', () => Date.now() - Date.parse(at) > delayMs)
  continueWrapper()
  expect((await answered(2))[1]).toMatchObject({ decision: 'allow', by: 'user', rule: null })
}
