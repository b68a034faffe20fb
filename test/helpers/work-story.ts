import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { pressAgencKey } from './agenc-key.ts'
import { type GitBench, gitBench } from './git.ts'
import { writeProgram } from './missions.ts'
import type { SessionBox } from './session.ts'
import type { Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

export interface WorkDay {
  box: SessionBox
  bench: GitBench
  terminal: Terminal
  mission: MissionJson
}

const readme = 'hello\nworld\n'

/** A bare server, the user's checkout of it, and a mission in front of the user, started from the picker. */
export async function startDay(box: SessionBox, address: string): Promise<WorkDay> {
  Object.assign(box.env, { PAGER: 'less', LESS: 'FRX', EDITOR: join(box.root, 'editor') })
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const bench = gitBench(box.root, box.env)
  bench.repo('seed', { 'README.md': readme })
  bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'server/acme/app.git')
  bench.git('.', 'clone', '--quiet', 'server/acme/app.git', 'checkout')
  bench.userConfig(`[url "${box.root}/server/"]\n  insteadOf = https://github.com/\n`)
  const added = box.agenc(['repo', 'add', address, '--trust'])
  expect(added).toMatchObject({ exitCode: 0 })
  const terminal = box.attach({ columns: 140, rows: 50 })
  await terminal.waitForText(/acme\/app|checkout/)
  terminal.type('\r')
  const window = await waitFor('the mission', () => box.windows().find(({ mission }) => mission))
  return { box, bench, terminal, mission: await box.waitForState(window.mission, 'idle') }
}

/** Tells Claude to run a command, and permits it. */
export async function work(
  { box, terminal, mission }: WorkDay,
  text: string,
  command: string,
): Promise<void> {
  terminal.type(`\u001b[200~${text} [[bash ${command}]] [[text Finished: ${text}]]\u001b[201~`)
  await terminal.waitForText(text)
  terminal.type('\r')
  await box.waitForState(mission.id, 'waiting')
  await terminal.waitForText('Do you want to proceed')
  await waitFor('the dialog to take the key', () => {
    if (box.mission(mission.id).state === 'waiting') terminal.type('1')
    return box.mission(mission.id).state !== 'waiting'
  })
  await terminal.waitForText(`● Finished: ${text}`)
  await box.waitForState(mission.id, 'idle')
}

export const commit = (file: string, text: string) =>
  `printf '${text}' >${file} && git add --all && git commit --quiet --message 'Change ${file}'`

/** The only window closes, and with it the session that the user is in. */
export async function hasFinished({ box, terminal, mission }: WorkDay): Promise<void> {
  expect(await terminal.exited).toBe(0)
  await waitFor('the mission to be archived', () => box.mission(mission.id).status === 'archived')
  expect(existsSync(mission.dir)).toBe(false)
}

/** new, work, diff, a comment in a review, fix, pull --squash, done, all by keys. */
export async function reviewAndSquash(box: SessionBox): Promise<void> {
  const day = await startDay(box, join(box.root, 'checkout'))
  const { bench, terminal, mission } = day
  await work(day, 'Greet the moon.', commit('README.md', 'hello\\nmoon\\n'))

  await pressAgencKey(box, terminal, 'v')
  const diff = await terminal.waitForText('+moon')
  expect(diff).toContain('-world')
  await terminal.waitForText('q: close')
  terminal.type('q')
  const popupCloses = () => waitFor('the popup to close', () => !terminal.screen().includes('┌'))
  await popupCloses()

  const comment = join(box.root, 'comment')
  writeFileSync(comment, 'Greet the sun, too.\n')
  writeProgram(join(box.root, 'editor'), `sed -i "/^+moon/r ${comment}" "$1"`)
  box.tmux('set-environment', '-g', 'EDITOR', join(box.root, 'editor'))
  await pressAgencKey(box, terminal, 'V')
  const root = join(box.agencHome, 'missions', mission.id)
  await waitFor('the comments', () => readdirSync(root).includes('review-1.md'))
  expect(readFileSync(join(root, 'review-1.md'), 'utf8')).toContain(
    '## README.md:2\n\n> +moon\n\nGreet the sun, too.',
  )
  await terminal.waitForText('Press Enter to close this.')
  terminal.type('\r')
  await popupCloses()

  expect(box.agenc(['mission', 'done', mission.id, '--yes'])).toMatchObject({ exitCode: 1 })
  await work(day, 'Greet the sun.', commit('README.md', 'hello\\nmoon\\nsun\\n'))
  await pressAgencKey(box, terminal, 'l')
  await terminal.waitForText('Pull as one commit')
  terminal.type('s')
  await terminal.waitForText('now has the work of')
  terminal.type('\r')
  await popupCloses()
  expect(readFileSync(join(box.root, 'checkout/README.md'), 'utf8')).toBe('hello\nmoon\nsun\n')
  expect(bench.git('checkout', 'rev-list', '--count', 'origin/main..main')).toBe('1')
  await pressAgencKey(box, terminal, 'l')
  await terminal.waitForText('Sync with its base')
  terminal.type('d')
  await hasFinished(day)
}
