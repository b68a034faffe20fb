import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { agencScript } from '../helpers/cli.ts'
import { fakeGh } from '../helpers/fake-gh.ts'
import { writeProgram } from '../helpers/missions.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { type WorkBox, type WorkMission, workBox } from '../helpers/work-missions.ts'

/** A mission on acme/app, with something Claude said, and a `gh` that records how it was called. */
async function withGh(about: string | null = 'Fix the "login"; $(touch x)') {
  const box = workBox()
  box.bench.repo('seed')
  box.bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'server/acme/app.git')
  box.bench.userConfig(`[url "${box.root}/server/"]\n  insteadOf = https://github.com/\n`)
  const gh = fakeGh(box)
  const transcript_path = join(box.root, 'transcript.jsonl')
  const text = 'Done.\n\nThe token ghp_0123456789abcdefghij0123456789abcdef is not needed.'
  const said = { type: 'assistant', message: { content: [{ type: 'text', text }] } }
  writeFileSync(transcript_path, `${JSON.stringify(said)}\n`)
  const mission = await box.mission(box.add('acme/app'), 'one', { about, transcript_path })
  mission.commit({ 'a.txt': 'a\n' })
  return { box, mission, gh }
}

function server(box: WorkBox, { branch }: WorkMission): string {
  return box.bench.git(
    'server/acme/app.git',
    'for-each-ref',
    '--format=%(refname:short)',
    `refs/heads/${branch}`,
  )
}

test('gh opens a pull request with the words of the mission, without secrets, and its number is shown', async () => {
  const { box, mission, gh } = await withGh()
  const opened = box.agenc(['mission', 'pr', 'one', '--draft'])
  expect(opened).toMatchObject({ exitCode: 0, stdout: 'https://github.com/acme/app/pull/12\n' })
  expect(opened.stderr).toContain('Opened #12.')
  expect(server(box, mission)).toBe(mission.branch)
  const [view, create, ...more] = gh.calls()
  expect(more).toEqual([])
  expect(view!.args.slice(0, 5)).toEqual(['pr', 'view', '--repo', 'acme/app', mission.branch])
  expect(create!.args).toEqual([
    ...['pr', 'create', '--repo', 'acme/app', '--head', mission.branch, '--base', 'main'],
    ...['--title', 'one', '--body-file', 'body.md', '--draft'],
  ])
  expect(create!.body).toMatch(/^Fix the "login"; \$\(touch x\)\n\nDone\.\n\nThe token \S+ is not needed\.$/)
  expect(create!.body).not.toContain('ghp_')
  // Not in the mission, whose settings gh would read.
  expect(create!.cwd).not.toContain(mission.directory)
  expect(existsSync(create!.cwd)).toBe(false)

  expect(box.agencJson<MissionJson>(['mission', 'show', 'one']).pr).toEqual({
    number: 12,
    url: 'https://github.com/acme/app/pull/12',
  })
  expect(box.agenc(['mission', 'ls']).stdout).toContain('#12')
  expect(box.agenc(['mission', 'show', 'one']).stdout).toContain('#12 https://github.com/acme/app/pull/12')
})

test('a pull request that is open already is shown; a merged one is not', async () => {
  const { box, mission, gh } = await withGh()
  gh.answerView({ number: 7, url: 'https://github.com/acme/app/pull/7', state: 'OPEN' })
  expect(box.agencJson(['mission', 'pr', 'one'])).toMatchObject({
    id: mission.id,
    branch: mission.branch,
    pushed: true,
    opened: false,
    pr: { number: 7, url: 'https://github.com/acme/app/pull/7' },
  })
  gh.answerView({ number: 7, url: 'https://github.com/acme/app/pull/7', state: 'MERGED' })
  expect(box.agencJson(['mission', 'pr', 'one', '--title', '-x', '--body', ''])).toMatchObject({
    pushed: false,
    opened: true,
    pr: { number: 12 },
  })
  expect(gh.calls().at(-1)).toMatchObject({ args: expect.arrayContaining(['--title', '-x']), body: '' })
})

test('without gh, and if gh fails, the branch is pushed and the address is printed', async () => {
  const { box, mission, gh } = await withGh()
  gh.failCreate('To get started with GitHub CLI, please run: gh auth login')
  const failed = box.agenc(['mission', 'pr', 'one'])
  const address = `https://github.com/acme/app/pull/new/${mission.branch}`
  expect(failed).toMatchObject({ exitCode: 1, stdout: `${address}\n` })
  expect(failed.stderr).toContain('gh auth login')
  expect(failed.stderr).toContain('The branch is pushed.')
  expect(server(box, mission)).toBe(mission.branch)
  expect(box.agencJson<MissionJson>(['mission', 'show', 'one']).pr).toBeNull()

  const without = box.agenc(['mission', 'pr', 'one'], { env: { PATH: pathWithout(box.env.PATH!, ['gh']) } })
  expect(without).toMatchObject({ exitCode: 0, stdout: `${address}\n` })
})

test('on a terminal title and text are edited first, and an empty file cancels before anything is pushed', async () => {
  const { box, mission, gh } = await withGh()
  const editor = (script: string) => ({ EDITOR: writeProgram(join(box.root, 'editor'), script) })
  const inTerminal = (env: NodeJS.ProcessEnv) =>
    openTerminal(process.execPath, [agencScript, 'mission', 'pr', 'one'], {
      env: { ...box.env, ...env },
      cwd: box.root,
      columns: 200,
    })
  const seen = join(box.root, 'seen')
  const cancelled = inTerminal(editor(`cp "$1" ${seen}; : >"$1"`))
  expect(await cancelled.exited).toBe(130)
  expect(cancelled.screen()).toContain('Nothing was pushed.')
  expect(readFileSync(seen, 'utf8')).toMatch(/^one\n\nFix the "login"/)
  expect(server(box, mission)).toBe('')
  expect(gh.calls().filter(({ args }) => args[1] === 'create')).toEqual([])

  const edited = inTerminal(editor('printf "A title\\n\\nSome text.\\n" >"$1"'))
  expect(await edited.exited).toBe(0)
  expect(edited.screen()).not.toContain('warning')
  expect(gh.calls().at(-1)).toMatchObject({
    args: expect.arrayContaining(['--title', 'A title']),
    body: 'Some text.',
  })
})

test('the base can be named; a branch is not merged into itself; a text needs a terminal to be edited', async () => {
  const { box, mission, gh } = await withGh(null)
  expect(box.agenc(['mission', 'pr', 'one', '--edit'])).toMatchObject({ exitCode: 64 })
  expect(box.agenc(['mission', 'pr', 'one', '--base', mission.branch])).toMatchObject({ exitCode: 64 })
  expect(box.agenc(['mission', 'pr', 'one', '--title', ''])).toMatchObject({ exitCode: 64 })
  expect(server(box, mission)).toBe('')
  box.agencJson(['mission', 'pr', 'one', '--base', 'next', '--as', 'fix/it'])
  expect(gh.calls().at(-1)!.args).toEqual(expect.arrayContaining(['--head', 'fix/it', '--base', 'next']))
})
