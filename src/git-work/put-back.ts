import { lstatSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { makeStaging, removeTree } from '../repo/staging.ts'
import { libraryGit, type MissionRepo, outputOf, ownObjects, withObjects } from './mission-repo.ts'
import { excludeSpecs, workTreeConfig } from './working-tree.ts'

interface ChangedFile {
  /** The mode is 0 if the file is not there. */
  before: { mode: string }
  after: { mode: string; object: string }
  /** In latin1. */
  path: string
}

const what = 'cannot put the files back'

/**
 * Turns the files of the state `from`, which must be the present one, into those of the state `to`. HEAD, the index, and
 * files that are not recorded stay as they are. Throws before the first change if a file would be lost. Returns the number
 * of changed files.
 */
export async function putBack(
  repo: MissionRepo,
  from: string,
  to: string,
  { exclude, signal }: { exclude: readonly string[]; signal?: AbortSignal | undefined },
): Promise<number> {
  const staging = makeStaging(repo.library)
  const config = workTreeConfig(repo)
  const objects = [join(repo.library, 'objects'), ownObjects(repo)]
  const gitOn = (index: string) => async (args: readonly string[], input?: string) => {
    const env = {
      GIT_WORK_TREE: repo.directory,
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: staging,
      ...withObjects(objects),
    }
    const options = { env, config, input, isBinary: true, signal, cwd: repo.directory }
    return outputOf(libraryGit(repo, args, options), what)
  }
  const [present, wanted] = [join(staging, 'present'), join(staging, 'wanted')]
  const [git, gitOnWanted] = [gitOn(present), gitOn(wanted)]
  try {
    const differing = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to, '--']
    const listed = parseRaw(await git([...differing, ...excludeSpecs(exclude)]))
    // A submodule is a repo of its own.
    const files = await withoutFilters(git, listed.filter(isFile))
    if (files.length === 0) return 0
    await git(['read-tree', from])
    const known = files.filter(({ before }) => isThere(before)).map(({ path }) => `${path}\0`)
    // The index learns that these files are as they were recorded.
    await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], known.join(''))
    const tree = (await git(['write-tree'])).trim()
    if (tree !== (await git(['rev-parse', '--verify', `${from}^{tree}`])).trim())
      throw new AgencError('the files have changed in the meantime', 'Nothing was put back. Try again.')
    await refuseToOverwrite(repo, git, files)
    await copyFile(present, wanted)
    await gitOnWanted(['update-index', '-z', '--add', '--replace', '--index-info'], indexInfo(files))
    const target = (await gitOnWanted(['write-tree'])).trim()
    await git(['read-tree', '-m', '-u', '--no-recurse-submodules', tree, target])
    return files.length
  } finally {
    await removeTree(staging)
  }
}

type Git = (args: readonly string[], input?: string) => Promise<string>

function parseRaw(output: string): ChangedFile[] {
  const words = output.split('\0')
  return Array.from({ length: Math.floor(words.length / 2) }, (_, at) => {
    const [before = '', mode = '', , object = ''] = words[2 * at]!.slice(1).split(' ')
    return { before: { mode: before }, after: { mode, object }, path: words[2 * at + 1]! }
  })
}

function isThere({ mode }: { mode: string }): boolean {
  return !/^0+$/.test(mode)
}

function isFile({ before, after }: ChangedFile): boolean {
  return before.mode !== '160000' && after.mode !== '160000'
}

/** The program of a filter would have to run. */
async function withoutFilters(git: Git, files: readonly ChangedFile[]): Promise<ChangedFile[]> {
  if (files.length === 0) return []
  const asked = await git(
    ['check-attr', '-z', '--stdin', 'filter'],
    files.map(({ path }) => `${path}\0`).join(''),
  )
  const words = asked.split('\0')
  return files.filter((_, at) => ['unspecified', 'unset'].includes(words[3 * at + 2]!))
}

function typeAt(path: Buffer): 'directory' | 'file' | null {
  try {
    return lstatSync(path).isDirectory() ? 'directory' : 'file'
  } catch {
    return null
  }
}

/** `a` and `a/b` for `a/b/c`. */
function parents(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}

/** git would overwrite files that it ignores, and those are recorded nowhere. */
async function refuseToOverwrite(
  { directory }: MissionRepo,
  git: Git,
  files: readonly ChangedFile[],
): Promise<void> {
  const typeOf = (path: string) =>
    typeAt(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, 'latin1')]))
  const recorded = new Set(files.filter(({ before }) => isThere(before)).map(({ path }) => path))
  const added = files.map(({ path }) => path).filter(path => !recorded.has(path))
  const above = [...new Set(added.flatMap(parents))].filter(path => !recorded.has(path))
  const blocking = above.filter(path => typeOf(path) === 'file')
  const taken = added.filter(path => typeOf(path) !== null)
  const specs = taken.map(path => `:(literal)${Buffer.from(path, 'latin1')}`)
  const others = taken.length === 0 ? '' : await git(['ls-files', '-z', '--others', '--', ...specs])
  const lost = [...blocking, ...others.split('\0').filter(Boolean)].map(
    path => `${Buffer.from(path, 'latin1')}`,
  )
  if (lost.length > 0)
    throw new AgencError(
      `${what}: ${cleanText(lost.slice(0, 5).join(', '))} would be overwritten, and no checkpoint has it`,
      'Nothing was changed. Move it away, then try again.',
    )
}

/** Deletions come first: a file `a` must be gone before `a/b` can be added. */
function indexInfo(files: readonly ChangedFile[]): string {
  const gone = files.filter(({ after }) => !isThere(after))
  const kept = files.filter(({ after }) => isThere(after))
  return [
    ...gone.map(({ after, path }) => `0 ${after.object}\t${path}\0`),
    ...kept.map(({ after, path }) => `${after.mode} ${after.object}\t${path}\0`),
  ].join('')
}
