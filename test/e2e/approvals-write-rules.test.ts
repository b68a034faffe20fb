import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Rule } from '../../src/approvals/rule.ts'
import { insertRequest } from '../../src/db/approvals.ts'
import { openStore } from '../../src/db/open-store.ts'
import { insertRepo } from '../../src/db/repos.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { openTerminal } from '../helpers/terminal.ts'

const app = 'github.com/acme/app'
const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

/** A store with one mission on a repo and a blank one, and their requests. */
async function boxWithRecord(): Promise<Sandbox> {
  const box = sandbox()
  const [onApp, blank] = await storeMissions(box, [{ repo: app }, {}])
  const db = await openStore(join(box.agencHome, 'database.sqlite'))
  const at = '2026-01-01T00:00:00.000Z'
  insertRepo(db, { id: app, url: app, trusted: null, added_at: at, updated_at: at })
  const commands = ['git status', 'git status', 'git status && make', `curl -u me:${secret} x`, 'git push']
  for (const command of commands)
    insertRequest(db, { mission_id: onApp!, at, tool: 'Bash', input: { command } })
  insertRequest(db, { mission_id: blank!, at, tool: 'Bash', input: { command: 'git status -s' } })
  insertRequest(db, { mission_id: blank!, at, tool: 'Write', input: { file_path: 'a', content: '' } })
  db.close()
  return box
}

const rulesOf = (box: Sandbox) => box.agencJson<Rule[]>(['config', 'get', 'approvals.rules'])
const lines = (text: string) => text.split('\n').map(line => line.replace(/\s+/g, ' ').trim())

test('allow shows what the rule would have matched, then writes it', async () => {
  const box = await boxWithRecord()
  const done = box.agenc(['approvals', 'allow', 'git status*'])
  expect(done.exitCode).toBe(0)
  expect(done.stderr).toContain('It matches 4 of the 7 recorded requests')
  expect(lines(done.stdout).slice(1, 4)).toEqual([
    '2 allow Bash git status',
    '1 ask Bash git status && make',
    '1 allow Bash git status -s',
  ])
  expect(done.stderr).toContain('Added rule 1: allow Bash "git status*"')
  expect(done.stderr).toContain('agenc approvals rm 1')
  expect(done.stderr).toContain('allow rules are ignored')
  expect(rulesOf(box)).toEqual([{ tool: 'Bash', match: 'git status*', decision: 'allow' }])
})

test('deny, --tool and --repo; the rest of config.json stays as it is', async () => {
  const box = await boxWithRecord()
  const config = join(box.agencHome, 'config.json')
  const odd = '"notify":   {"bell":true}'
  const rule = '{"tool":"Bash","decision":"ask"}'
  writeFileSync(config, `{ ${odd},\n "approvals": { "mode": "rules", "rules": [ ${rule} ] } }\n`)
  const denied = box.agenc(['approvals', 'deny', 'git *', '--repo', 'acme/app'])
  expect(lines(denied.stdout)).toContain('1 deny Bash git push')
  expect(denied.stdout).not.toContain('git status -s')
  expect(denied.stderr).toContain(`Added rule 2: deny Bash "git *" on ${app}`)
  const written = box.agencJson(['approvals', 'allow', '{dir}/**', '--tool', 'Write'])
  expect(written).toMatchObject({
    number: 3,
    added: true,
    rule: { tool: 'Write', match: '{dir}/**', decision: 'allow' },
    matched: [{ tool: 'Write', decision: 'allow', at: expect.any(String), mission_id: expect.any(String) }],
  })
  expect(readFileSync(config, 'utf8')).toContain(odd)
  expect(rulesOf(box).map(({ repo }) => repo)).toEqual([undefined, app, undefined])
})

test('a rule that is there already is not written twice, and one that matches nothing says so', async () => {
  const box = await boxWithRecord()
  expect(box.agenc(['approvals', 'deny', 'nothing like it']).stderr).toContain(
    'It matches none of the 7 recorded',
  )
  const again = box.agenc(['approvals', 'deny', 'nothing like it'])
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Rule 1 is this one already') })
  expect(rulesOf(box)).toHaveLength(1)
})

test('without a record it says so, and the approvals of the repo decide whether allow rules count', async () => {
  const box = sandbox()
  box.agenc(['config', 'set', `repos.${app}.approve`, 'rules'])
  const done = box.agenc(['approvals', 'allow', 'ls *', '--repo', app])
  expect(done.stderr).toContain('No requests are recorded yet.')
  expect(done.stderr).not.toContain('allow rules are ignored')
})

test('secrets in the record are masked', async () => {
  const box = await boxWithRecord()
  const done = box.agenc(['approvals', 'deny', 'curl *'])
  expect(done.stdout).toContain('curl -u me:***')
  expect(box.agenc(['approvals', 'deny', 'curl *', '--json']).stdout).not.toContain(secret)
})

test('rules written at the same time are all kept', async () => {
  const box = await boxWithRecord()
  const words = ['a', 'b', 'c', 'd', 'e']
  await Promise.all(words.map(word => box.agencAsync(['approvals', 'deny', word])))
  expect(
    rulesOf(box)
      .map(({ match }) => match)
      .sort(),
  ).toEqual(words)
})

test('rm removes a rule by its number; without one, a terminal shows a picker', async () => {
  const box = await boxWithRecord()
  for (const word of ['one', 'two', 'three']) box.agenc(['approvals', 'deny', word])
  const wrong = box.agenc(['approvals', 'rm', '4'])
  expect(wrong.exitCode).toBe(64)
  expect(wrong.stderr).toContain('2  deny Bash "two"')
  expect(box.agenc(['approvals', 'rm']).exitCode).toBe(64)
  const removed = box.agenc(['approvals', 'rm', '2'])
  expect(removed).toMatchObject({ exitCode: 0, stderr: 'Removed rule 2: deny Bash "two"\n' })
  expect(rulesOf(box).map(({ match }) => match)).toEqual(['one', 'three'])
  const terminal = openTerminal(process.execPath, [agencScript, 'approvals', 'rm'], {
    env: box.env,
    cwd: box.root,
  })
  await terminal.waitForText('"three"')
  terminal.type('three')
  await terminal.waitForText(/three[^"]/)
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(rulesOf(box).map(({ match }) => match)).toEqual(['one'])
})

test('bad usage is refused, and nothing is written', async () => {
  const box = await boxWithRecord()
  for (const args of [['allow', ''], ['allow', ' '], ['allow', 'x', '--repo', 'acme/unknown'], ['deny']]) {
    const done = box.agenc(['approvals', ...args])
    expect([args, done.exitCode]).toEqual([args, 64])
  }
  expect(rulesOf(box)).toEqual([])
})

test('a rule for one repo applies to its missions only', async () => {
  const box = await boxWithRecord()
  box.agenc(['approvals', 'deny', 'make*', '--repo', 'acme/app'])
  const [blank, onApp] = box
    .agencJson<{ id: string; repo: string | null }[]>(['mission', 'ls'])
    .sort((a, b) => String(a.repo ?? '').localeCompare(String(b.repo ?? '')))
  const decisionFor = (mission: string) =>
    box.agencJson<{ decision: string }>(['approvals', 'test', '--mission', mission, 'make all']).decision
  expect([decisionFor(onApp!.id), decisionFor(blank!.id)]).toEqual(['deny', 'ask'])
  expect(box.agenc(['approvals', 'test', 'make all']).stderr).toContain(
    'Rules for a single repo are left out',
  )
})
