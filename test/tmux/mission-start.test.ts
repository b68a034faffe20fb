import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pathsAt } from '../../src/paths.ts'
import { pressAgencKey } from '../helpers/agenc-key.ts'
import { fakeSsh, gitBench } from '../helpers/git.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

test('the window opens at once, the fetch runs there, and the window ends up in the working copy', async () => {
  const box = sessionBox()
  Object.assign(box.env, fakeSsh(box.root))
  const repos = gitBench(box.root, box.env)
  repos.repo('hub/app')
  repos.git('.', 'clone', '--quiet', '--bare', 'hub/app', 'srv/app.git')
  const repo = box
    .agenc(['repo', 'add', `ssh://host${box.root}/srv/app.git`, '--trust', '--quiet'])
    .stdout.trim()
  repos.git(`agenc/repos/${repo}`, 'config', 'remote.origin.url', `ssh://stalled${box.root}/srv/app.git`)
  box.agenc(['config', 'set', 'repos.fetch_timeout', '2'])
  const first = await box.start()
  const terminal = box.attach({ columns: 160, rows: 30 })
  await terminal.waitForText('mode on')
  const created = box.agenc(['mission', 'new', repo, '--no-focus'], { env: box.inside(first.id) })
  const id = created.stdout.trim()
  const directory = join(box.agencHome, 'missions', id, 'agent')
  const { id: window } = await waitFor('its window', () => box.windowOf(id))
  expect(box.tmux('capture-pane', '-p', '-t', window)).not.toContain('starting on')
  // The user looks at another window, and is told there too.
  await terminal.waitForText(/starts on main@[0-9a-f]{7}, fetched .* ago: cannot reach origin within 2 s/)
  await box.waitForState(id, 'idle')
  expect(box.tmux('display-message', '-p', '-t', window, '#{pane_current_path}').trim()).toBe(directory)
  expect(box.mission(id)).toMatchObject({ dir: directory, base: { ref: 'main' } })
})

test('the picker shows the default branch of each repo and its age; the form asks for base and branch', async () => {
  const box = sessionBox()
  const repo = box.addRepo('shop')
  await box.start()
  const terminal = box.attach({ columns: 100, rows: 30 })
  await terminal.waitForText('mode on')
  const { repoChoices } = pathsAt(box.agencHome)
  const [line] = readFileSync(repoChoices, 'utf8').split('\n')
  const fetchedAt = Number(line!.split('\t')[3])
  const aged = readFileSync(repoChoices, 'utf8').replace(String(fetchedAt), String(fetchedAt - 7260))
  writeFileSync(repoChoices, aged)
  await pressAgencKey(box, terminal, 'n')
  await terminal.waitForText(new RegExp(`${repo} +main@[0-9a-f]{7}, 2 h old`))
  terminal.type('\u000f')
  for (const question of ['Prompt', 'Name:', 'Permission mode:', 'Approvals:', 'Model:']) {
    await terminal.waitForText(question)
    terminal.type('\r')
  }
  await terminal.waitForText('Base (a branch, tag or commit):')
  terminal.type('main\r')
  await terminal.waitForText('Branch:')
  terminal.type('a b\r')
  await terminal.waitForText('That is not a valid name.')
  terminal.type('\u0015by-form\r')
  const mission = await waitFor('the mission', () =>
    box.missions().find(({ branch }) => branch === 'by-form'),
  )
  expect(mission).toMatchObject({ repo, base: { ref: 'main' } })
})
