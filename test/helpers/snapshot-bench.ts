import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MissionRepo } from '../../src/git-work/mission-repo.ts'
import { type Snapshot, type SnapshotOptions, takeSnapshot } from '../../src/git-work/snapshot.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { addToLibrary } from '../../src/repo/library.ts'
import { sourceOf } from '../../src/repo/repo-source.ts'
import { createWorkingCopy } from '../../src/repo/working-copy.ts'
import { type GitBench, gitBench } from './git.ts'

/** A repo in the library, and the working copy of a mission. */
export interface SnapshotBench extends GitBench {
  missionRepo: MissionRepo
  directory: string
  library: string
  take(options?: Partial<SnapshotOptions>): Promise<Snapshot>
  /** Runs git in the mission's directory. */
  own(...args: string[]): string
  /** Runs git in the library. */
  kept(...args: string[]): string
  /** The files of a commit in the library, with their contents. */
  files(commit: string): Record<string, string>
  write(name: string, text: string | Buffer): void
}

const id = '0198c0de-0000-7000-8000-000000000001' as MissionId

export async function snapshotBench(
  prepare: (bench: GitBench) => void = bench =>
    void bench.repo('src/app', { 'a.txt': 'one\n', 'b.txt': 'two\n' }),
  bench: GitBench = gitBench(),
): Promise<SnapshotBench> {
  prepare(bench)
  const source = sourceOf(bench.tools, './src/app', bench.root)
  const library = await addToLibrary(bench.tools, join(bench.root, 'repos'), source)
  const directory = join(bench.root, 'mission', 'agent')
  await createWorkingCopy({
    ...bench.tools,
    source: library,
    destination: directory,
    remoteUrl: 'https://example.com/app.git',
  })
  const repo: MissionRepo = { ...bench.tools, id, library, directory }
  return {
    ...bench,
    missionRepo: repo,
    directory,
    library,
    take: options => takeSnapshot(repo, { exclude: [], now: new Date(), ...options }),
    own: (...args) => bench.git('mission/agent', ...args),
    kept: (...args) => bench.git('.', `--git-dir=${library}`, ...args),
    files: commit => {
      const names = bench.git('.', `--git-dir=${library}`, 'ls-tree', '-rz', '--name-only', commit)
      const listed = names.split('\0').filter(name => name !== '')
      return Object.fromEntries(
        listed.map(name => [name, bench.git('.', `--git-dir=${library}`, 'show', `${commit}:${name}`)]),
      )
    },
    write: (name, text) => {
      mkdirSync(join(directory, name, '..'), { recursive: true })
      writeFileSync(join(directory, name), text)
    },
  }
}

/** Everything below a directory that a snapshot must not touch, as text. Objects and agenc's own refs are left out. */
export function untouched(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  const kept = names.filter(name => !/^\.git\/(objects|refs\/agenc)(\/|$)/.test(name))
  return Object.fromEntries(
    kept.map(name => {
      const stats = statSync(join(directory, name), { throwIfNoEntry: false })
      const text = stats?.isFile() ? readFileSync(join(directory, name), 'latin1') : ''
      return [name, `${stats?.mode} ${text}`]
    }),
  )
}

/** A program that creates a file when it runs. */
export function markingProgram(bench: GitBench, name: string): { program: string; hasRun: () => boolean } {
  const program = join(bench.root, name)
  writeFileSync(program, `#!/bin/sh\ntouch '${program}.ran'\nexec cat\n`)
  chmodSync(program, 0o755)
  return { program, hasRun: () => existsSync(`${program}.ran`) }
}
