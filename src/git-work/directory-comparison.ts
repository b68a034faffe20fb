import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { makeTemporaryDirectory } from '../io/temporary-directory.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { askGit, disabledFilters } from '../repo/git.ts'
import { interruptible } from '../system/signals.ts'
import { emptyTree } from './changes.ts'
import type { Comparison } from './comparison.ts'
import { libraryGit, type MissionRepo, outputOf } from './mission-repo.ts'

/**
 * Compares a directory that is no working copy of the library with its latest commit. An empty repo, which is removed when
 * the process ends, takes the place of the library: it has no settings, and borrows the objects of the directory's repo.
 */
export async function compareDirectory(context: Context, mission: MissionRecord): Promise<Comparison> {
  const directory = missionDirectory(context.paths, mission)
  const ask = (...args: string[]) => {
    const asked = askGit(context, ['rev-parse', '--path-format=absolute', ...args], { cwd: directory })
    return asked.exitCode === 0 ? asked.stdout.replace(/\n$/, '') : null
  }
  const workTree = existsSync(directory) ? ask('--show-toplevel') : null
  if (workTree === null)
    throw new AgencError(
      `${missionTitle(mission)} has no repo`,
      `git cannot compare its files with anything: ${directory}`,
    )
  const head = ask('--quiet', '--verify', 'HEAD^{commit}')
  const library = makeTemporaryDirectory(join(context.paths.mission(mission.id).root, 'compare-')).path
  const repo: MissionRepo = { exec: context.exec, env: context.env, id: mission.id, library, directory }
  await makeBorrower(repo, join(ask('--git-common-dir')!, 'objects'), ask('--show-object-format') ?? 'sha1')
  const env = { GIT_WORK_TREE: workTree, GIT_INDEX_FILE: join(library, 'index') }
  const excludes = ask('--git-path', 'info/exclude')!
  if (existsSync(excludes)) copyInto(excludes, join(library, 'info', 'exclude'))
  const index = ask('--git-path', 'index')!
  if (existsSync(index)) copyInto(index, env.GIT_INDEX_FILE)
  return interruptible(async signal => {
    const git = (args: string[]) => libraryGit(repo, args, { env, signal, config })
    const config = disabledFilters(context, { gitDir: library })
    // A split index refers to a file beside the original.
    if ((await git(['ls-files', '--', ':(literal)-'])).exitCode !== 0)
      await outputOf(git(['read-tree', head ?? '--empty']), 'cannot read the index')
    // Fails for files that cannot be read, and adds the others.
    await git(['add', '--all', '--ignore-errors', '--', ':/'])
    const to = (await outputOf(git(['write-tree']), 'cannot read the files')).trim()
    const from = head ?? (await emptyTree(repo))
    return { repo, from, to, base: head, turn: null, words: 'since the latest commit' }
  })
}

async function makeBorrower(repo: MissionRepo, objects: string, format: string): Promise<void> {
  const made = libraryGit(repo, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`])
  await outputOf(made, 'cannot compare the files')
  mkdirSync(join(repo.library, 'objects', 'info'), { recursive: true })
  writeFileSync(join(repo.library, 'objects', 'info', 'alternates'), `${objects}\n`)
}

function copyInto(file: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(file, target)
}
