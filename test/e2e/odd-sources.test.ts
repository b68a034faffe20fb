import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GitBench } from '../helpers/git.ts'
import { type RecordsBox, recordsBox } from '../helpers/records.ts'

const hub = 'hub/big'

/** A repo with two commits on main, which the others are copies of. */
function withHub(): RecordsBox {
  const box = recordsBox()
  box.bench.repo(hub, { one: '1\n' })
  box.bench.git(hub, 'config', 'uploadpack.allowFilter', 'true')
  box.bench.commit(hub, { two: '2\n' })
  return box
}

const sources: Record<string, (bench: GitBench) => void> = {
  shallow: bench => bench.git('.', 'clone', '--quiet', '--depth=1', `file://${bench.root}/${hub}`, 'src/odd'),
  'a clone without its old files': bench =>
    bench.git('.', 'clone', '--quiet', '--filter=blob:none', `file://${bench.root}/${hub}`, 'src/odd'),
  bare: bench => bench.git('.', 'clone', '--quiet', '--bare', hub, 'src/odd'),
  'in sha256': bench => {
    mkdirSync(join(bench.root, 'src/odd'), { recursive: true })
    bench.git('src/odd', 'init', '--quiet', '--initial-branch=main', '--object-format=sha256')
    bench.commit('src/odd', { two: '2\n' })
  },
  'with large files elsewhere': bench => {
    bench.git('.', 'clone', '--quiet', hub, 'src/odd')
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'
    bench.commit('src/odd', { '.gitattributes': '*.bin filter=lfs -text\n', 'a.bin': pointer })
  },
}

test.each(Object.keys(sources))('a mission starts on the base of a source that is %s', async kind => {
  const box = withHub()
  sources[kind]!(box.bench)
  expect(box.agenc(['repo', 'add', './src/odd', '--no-trust']).stderr).not.toContain('agenc: cannot')
  const commit = box.bench.git('src/odd', 'rev-parse', 'main')
  const mission = await box.create('local/src/odd', '--base', commit.slice(0, 10))
  expect(mission.base).toMatchObject({ commit })
  const dir = mission.dir.slice(box.root.length + 1)
  expect(box.bench.git(dir, 'rev-parse', 'HEAD')).toBe(commit)
  expect(box.bench.git(dir, 'status', '--porcelain')).toBe('')
})

test('a pull request of a shallow source comes along, although no branch has it', async () => {
  const box = withHub()
  sources.shallow!(box.bench)
  box.bench.git('src/odd', 'switch', '--quiet', '--create', 'theirs')
  writeFileSync(join(box.root, 'src/odd/pr'), 'x')
  box.bench.commit('src/odd', {})
  box.bench.git('src/odd', 'update-ref', 'refs/pull/3/head', 'theirs')
  box.bench.git('src/odd', 'switch', '--quiet', 'main')
  box.bench.git('src/odd', 'branch', '--quiet', '--delete', '--force', 'theirs')
  box.agenc(['repo', 'add', './src/odd', '--no-trust'])
  const mission = await box.create('local/src/odd', '--pr', '3')
  expect(mission).toMatchObject({ branch: 'pr-3', pr: { number: 3, url: null } })
  const dir = mission.dir.slice(box.root.length + 1)
  expect(box.bench.git(dir, 'rev-parse', 'HEAD')).toBe(
    box.bench.git('src/odd', 'rev-parse', 'refs/pull/3/head'),
  )
})
