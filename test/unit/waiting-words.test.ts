import { expect, test } from 'vitest'
import type { WaitingFor } from '../../src/db/missions.ts'
import type { AskReport } from '../../src/wrapper/open-requests.ts'
import { waitingWords } from '../../src/wrapper/waiting-words.ts'

function asks(
  tool: string,
  input: Record<string, unknown>,
  more: Partial<Pick<AskReport, 'dialog' | 'question'>> = {},
): AskReport {
  return {
    kind: 'asks',
    ...{ agentId: null, sessionId: null, transcriptPath: null, mode: null, planPath: null },
    ...{ dialog: 'permission', question: null, ...more },
    use: { tool, input, cwd: null, id: null },
  }
}

const question = { questions: [{ question: 'Which one?' }] }
const cases: [WaitingFor | null, AskReport | null, string][] = [
  ['permission', asks('Bash', { command: 'touch x\nls' }), 'asks: Bash touch x ls'],
  ['permission', asks('Write', { file_path: '/tmp/a' }), 'asks: Write /tmp/a'],
  ['permission', asks('Write', { file_path: '/home/mission/a' }), 'asks: Write a'],
  ['permission', asks('Unknown', {}), 'asks: Unknown'],
  ['permission', null, 'asks for permission'],
  [
    'question',
    asks('AskUserQuestion', question, { dialog: 'question', question: 'Which one?' }),
    'asks: Which one?',
  ],
  ['question', null, 'asks a question'],
  ['plan', asks('ExitPlanMode', { plan: 'long' }, { dialog: 'plan' }), 'asks you to approve its plan'],
  ['trust', null, 'asks whether you trust its directory'],
  ['input', null, 'waits for you'],
  [null, null, 'waits for you'],
]

test.each(cases)('%s with %o: %s', (waitingFor, request, words) => {
  expect(waitingWords(waitingFor, request, '/home/mission')).toBe(words)
})

test('secrets in a command are masked', () => {
  const words = waitingWords(
    'permission',
    asks('Bash', { command: 'curl -H "Authorization: Bearer abcdef0123456789"' }),
    '/home/mission',
  )
  expect(words).not.toContain('abcdef0123456789')
})
