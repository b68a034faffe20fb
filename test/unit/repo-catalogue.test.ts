import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { insertMission } from '../../src/db/missions.ts'
import { type Database, openStore } from '../../src/db/open-store.ts'
import { getRepo, insertRepo, listRepos } from '../../src/db/repos.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import {
  addRepo,
  knownRepoIds,
  markUpdated,
  markUsed,
  removeRepo,
  trustRepo,
} from '../../src/repo/catalogue.ts'
import { libraryPath } from '../../src/repo/library.ts'
import { sourceOf } from '../../src/repo/repo-source.ts'
import { gitBench, writeBelow } from '../helpers/git.ts'

const noQuestion = async () => {
  throw new Error('asked although the answer was given')
}

async function library() {
  const bench = gitBench()
  bench.repo('src/app')
  const paths = pathsAt(join(bench.root, 'agenc'))
  const now = { at: '2026-01-01T00:00:00.000Z' }
  const context = {
    ...bench.tools,
    paths,
    cwd: bench.root,
    now: () => new Date(now.at),
    stdin: {},
    err: { isTerminal: false, line: () => {} },
  } as unknown as Context
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  const source = sourceOf(bench.tools, './src/app', bench.root)
  return { context, db, source, now, choices: () => readFileSync(paths.repoChoices, 'utf8') }
}

test('adding, updating, trusting and removing a repo each keep the table and the picker in step', async () => {
  const { context, db, source, now, choices } = await library()
  const { id } = source
  const added = await addRepo(context, db, source, { trust: undefined, askTrust: async () => null })
  expect(added).toMatchObject({ wasThere: false, repo: { id, trusted: null, updated_at: now.at } })
  const { default_commit } = getRepo(db, id)!
  const line = (seconds: number) => `${id}\t${id}\tmain@${default_commit!.slice(0, 7)}\t${seconds}\n`
  expect(choices()).toBe(`${line(1_767_225_600)}--blank\t(blank)\n`)

  now.at = '2026-01-02T00:00:00.000Z'
  expect(markUpdated(context, db, id)).toBe(now.at)
  expect(getRepo(db, id)).toMatchObject({ updated_at: now.at, added_at: '2026-01-01T00:00:00.000Z' })
  expect(choices()).toBe(`${line(1_767_312_000)}--blank\t(blank)\n`)
  expect(trustRepo(context, db, id, true)).toMatchObject({ trusted: 1 })

  expect(await removeRepo(context, db, id)).toEqual([])
  expect(listRepos(db)).toEqual([])
  expect(choices()).toBe('--blank\t(blank)\n')
  expect(existsSync(libraryPath(context.paths.repos, id))).toBe(false)
})

test('a repo that is there already is not cloned or asked about, but takes a given answer', async () => {
  const { context, db, source } = await library()
  await addRepo(context, db, source, { trust: true, askTrust: noQuestion })
  expect(await addRepo(context, db, source, { trust: undefined, askTrust: noQuestion })).toMatchObject({
    wasThere: true,
    repo: { trusted: 1 },
  })
  expect(await addRepo(context, db, source, { trust: false, askTrust: noQuestion })).toMatchObject({
    wasThere: true,
    repo: { trusted: 0 },
  })
})

test('a repo with a mission on it stays', async () => {
  const { context, db, source } = await library()
  await addRepo(context, db, source, { trust: true, askTrust: noQuestion })
  const id = missionOn(db, source.id)
  expect(await removeRepo(context, db, source.id)).toMatchObject([{ id }])
  expect(listRepos(db)).toHaveLength(1)
  expect(existsSync(libraryPath(context.paths.repos, source.id))).toBe(true)
})

test('the known repos are those of the library and of the settings', async () => {
  const { context, db, source } = await library()
  await addRepo(context, db, source, { trust: true, askTrust: noQuestion })
  writeBelow(
    context.paths.home,
    'config.json',
    JSON.stringify({ repos: { 'github.com/o/r': { model: 'opus' } } }),
  )
  expect(await knownRepoIds(context)).toEqual([source.id, 'github.com/o/r'])
})

function missionOn(db: Database, repo: string) {
  const id = newMissionId()
  const nothing = {
    name: null,
    about: null,
    parent_id: null,
    permission_mode: null,
    approve: null,
    model: null,
  }
  insertMission(db, {
    ...nothing,
    id,
    repo,
    created_at: '2026-01-01T00:00:00.000Z',
    session_id: id,
    forked_session_id: null,
    setup_pending: 0,
    may_answer: 0,
  })
  return id
}

test('an update notices that the source has got an origin of its own', async () => {
  const { context, db, source } = await library()
  await addRepo(context, db, source, { trust: undefined, askTrust: async () => null })
  expect(getRepo(db, source.id)!.url).toBe(source.fetchUrl)
  execFileSync('git', ['remote', 'add', 'origin', 'https://me:hunter2@example.com/a/b.git'], {
    cwd: source.fetchUrl,
  })
  markUpdated(context, db, source.id)
  expect(getRepo(db, source.id)!.url).toBe('https://example.com/a/b.git')
})

test('pickers show the repo that was used last first, then the others by name', async () => {
  const { context, db, now, choices } = await library()
  for (const id of ['github.com/a/a', 'github.com/b/b', 'github.com/c/c', 'github.com/d/d'])
    insertRepo(db, { id, url: id, trusted: null, added_at: now.at, updated_at: now.at })
  markUsed(context, db, 'github.com/d/d')
  now.at = '2026-01-02T00:00:00.000Z'
  markUsed(context, db, 'github.com/b/b')
  expect(choices()).toBe(
    'github.com/b/b\tb/b\ngithub.com/d/d\td/d\ngithub.com/a/a\ta/a\ngithub.com/c/c\tc/c\n--blank\t(blank)\n',
  )
  expect(listRepos(db).map(({ id }) => id.slice(-1))).toEqual(['a', 'b', 'c', 'd'])
})
