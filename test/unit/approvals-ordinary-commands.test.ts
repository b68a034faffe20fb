import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decide, objection } from '../../src/approvals/decide.ts'
import type { Request, Verdict } from '../../src/approvals/rule.ts'
import {
  ordinaryCommands,
  ordinaryFiles,
  sensibleDenials,
  sensibleRules,
} from '../corpus/ordinary-commands.ts'

const wantedShare = 0.85
let dir: string

beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'ordinary-')))
  for (const name of ordinaryFiles) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), '')
  }
  mkdirSync(join(dir, '.git'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

type Judge = (request: Request) => Pick<Verdict, 'decision' | 'reason'>

/** Returns the share of commands that run unasked, and prints it; the others follow with the reason. */
function measure(title: string, judge: Judge) {
  const verdicts = ordinaryCommands.map(text => {
    const command = text.replaceAll('{dir}', dir)
    return { command, ...judge({ tool: 'Bash', input: { command }, dir, cwd: dir, home: '/home/user' }) }
  })
  const others = verdicts.filter(({ decision }) => decision !== 'allow')
  const share = 1 - others.length / verdicts.length
  console.log(`${title}: ${(100 * share).toFixed(1)} % of ${verdicts.length} ordinary commands run unasked`)
  const list = others.map(
    ({ command, decision, reason }) => `${decision} ${JSON.stringify(command)}: ${reason}`,
  )
  if (share < wantedShare || process.env.AGENC_TEST_LIST) console.log(list.join('\n'))
  return { share, denied: others.filter(({ decision }) => decision === 'deny').map(({ command }) => command) }
}

test('there are at least 300 ordinary commands, each only once', () => {
  expect(new Set(ordinaryCommands).size).toBe(ordinaryCommands.length)
  expect(ordinaryCommands.length).toBeGreaterThanOrEqual(300)
})

test('sensible rules allow most ordinary commands, and deny none', () => {
  const { share, denied } = measure('rules', request => decide(request, sensibleRules, 'rules'))
  expect(denied).toEqual([])
  expect(share).toBeGreaterThanOrEqual(wantedShare)
})

test('with a few deny rules, mode all runs most ordinary commands unasked', () => {
  const { share } = measure('all', request => decide(request, sensibleDenials, 'all'))
  expect(share).toBeGreaterThanOrEqual(wantedShare)
})

test('under bypassPermissions, a few deny rules stop few ordinary commands', () => {
  const none = { decision: 'allow', reason: '' } as const
  const { share } = measure('bypass', request => objection(request, sensibleDenials) ?? none)
  expect(share).toBeGreaterThanOrEqual(wantedShare)
})
