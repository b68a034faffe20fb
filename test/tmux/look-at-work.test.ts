import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeSnapshot } from '../../src/git-work/snapshot.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { pressAgencKey } from '../helpers/agenc-key.ts'
import { writeBelow } from '../helpers/git.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

/** A session with a client, in front of a mission that has changed files in two turns. */
async function attended(env: NodeJS.ProcessEnv = {}) {
  const box = sessionBox()
  Object.assign(box.env, { PAGER: 'less', LESS: 'FRX', ...env })
  symlinkSync(execFileSync('which', ['less'], { encoding: 'utf8' }).trim(), join(box.root, 'bin/pager'))
  box.agenc(['config', 'set', 'missions.checkpoints', 'false'])
  const repo = box.addRepo('alpha')
  const terminal = box.attach()
  await terminal.waitForText(repo)
  terminal.type('\r')
  const { mission } = await waitFor('the mission', () => box.windows().find(window => window.mission))
  await box.waitForState(mission, 'idle')
  const directory = join(box.agencHome, 'missions', mission, 'agent')
  const library = join(box.agencHome, 'repos', repo)
  for (const turn of ['one', 'two']) {
    writeBelow(directory, `${turn}.txt`, `written in turn ${turn}\n`)
    await takeSnapshot(
      { exec: systemRunner, env: box.env, id: mission as MissionId, library, directory },
      { exclude: [], isCheckpoint: true, now: new Date() },
    )
  }
  const hasClosed = () => waitFor('the popup to close', () => !/[┌┘]/.test(terminal.screen()))
  return { box, repo, terminal, mission, directory, hasClosed }
}

test.each(['less', 'pager'])(
  'v shows the changes in %s; t switches to the last turn and back; q closes',
  async PAGER => {
    const { box, terminal, hasClosed } = await attended({ PAGER })
    await pressAgencKey(box, terminal, 'v')
    await terminal.waitForText('+written in turn two')
    expect(await terminal.waitForText('All changes   t: the last turn   q: close')).toContain('turn one')
    terminal.type('t')
    await terminal.waitForText('The last turn   t: all changes   q: close')
    expect(await terminal.waitForText('+written in turn two')).not.toContain('turn one')
    terminal.type('t')
    await terminal.waitForText('+written in turn one')
    terminal.type('q')
    await hasClosed()
  },
)

test('with another pager, a key is asked for when it has ended; no git settings of the mission are used', async () => {
  const { box, terminal, directory, hasClosed } = await attended({ PAGER: 'sed s/^+written/SHOWN/' })
  const settings = ['core.pager', 'pager.diff', 'diff.external']
  for (const key of settings)
    execFileSync('git', ['config', key, `touch ${box.root}/ran`], { cwd: directory, env: box.env })
  await pressAgencKey(box, terminal, 'v')
  await terminal.waitForText('SHOWN in turn two')
  await terminal.waitForText('t: the last turn   any other key: close')
  terminal.type('t')
  await terminal.waitForText('t: all changes   any other key: close')
  terminal.type('q')
  await hasClosed()
  expect(readdirSync(box.root)).not.toContain('ran')
})

test('V opens the changes in the editor, and the file with the comments is named', async () => {
  const box = await attended()
  const editor = join(box.box.root, 'editor')
  writeFileSync(
    editor,
    `#!/bin/sh\necho 'Why?' >'${editor}.text'\nsed -i "/^+written in turn one/r ${editor}.text" "$1"\n`,
    {
      mode: 0o755,
    },
  )
  box.box.tmux('set-environment', '-g', 'EDITOR', editor)
  await pressAgencKey(box.box, box.terminal, 'V')
  const root = join(box.box.agencHome, 'missions', box.mission)
  await waitFor('the comments', () => readdirSync(root).includes('review-1.md'))
  await box.terminal.waitForText('review-1.md')
  expect(readFileSync(join(root, 'review-1.md'), 'utf8')).toContain(
    '## one.txt:1\n\n> +written in turn one\n\nWhy?',
  )
  await box.terminal.waitForText('Press Enter to close this.')
  box.terminal.type('\r')
  await box.hasClosed()
})

test('l opens a menu for the mission in view; a result stays until a key is pressed', async () => {
  const { box, terminal, mission, hasClosed } = await attended()
  await pressAgencKey(box, terminal, 'l')
  const screen = await terminal.waitForText(`Land ${mission.slice(0, 8)}`)
  for (const entry of [
    'Show the changes',
    'Pull into your checkout',
    'Pull as one commit',
    'Push',
    'Pull request',
    'Sync with its base',
    'Done',
  ])
    expect(screen).toContain(entry)
  terminal.type('v')
  await terminal.waitForText('q: close')
  terminal.type('q')
  await hasClosed()
  await pressAgencKey(box, terminal, '?')
  await terminal.waitForText('Land the changes')
  terminal.type('l')
  await terminal.waitForText('Sync with its base')
  terminal.type('b')
  await terminal.waitForText('Press Enter to close this.')
  terminal.type('\r')
  await hasClosed()
})

test('in the switcher, ctrl-d switches the preview to the changes and back', async () => {
  const { box, terminal } = await attended()
  await pressAgencKey(box, terminal, 's')
  await terminal.waitForText('ctrl-d: changes')
  terminal.type('\u0004')
  await terminal.waitForText(/one\.txt \| 1 \+/)
  terminal.type('\u0004')
  await waitFor('the screen of the mission', () => !/one\.txt/.test(terminal.screen()))
  terminal.type('\u001b')
})
