import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { wantsColour } from '../io/colour.ts'
import { gitArguments, gitEnvironment } from '../repo/git.ts'
import { collect } from '../system/runner.ts'
import type { Comparison } from './comparison.ts'
import { libraryGit, outputOf } from './mission-repo.ts'

export interface DiffLooks {
  stat?: boolean
  nameOnly?: boolean
  /** With `stat`: the changes too. */
  patch?: boolean
  hasColour?: boolean
}

/** Nothing of the files is looked up outside the library. */
const always = ['--submodule=short']

/** A patch that programs can read, whatever the user's settings are. */
const plain = [
  ...always,
  ...['--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/'],
  ...['--find-renames', '--ignore-submodules=none', '--no-relative', '-O/dev/null'],
]

export async function hasChanges({ repo, from, to }: Comparison): Promise<boolean> {
  const asked = libraryGit(repo, ['rev-parse', `${from}^{tree}`, `${to}^{tree}`])
  const trees = await outputOf(asked, 'cannot compare the files')
  const [before, after] = trees.trim().split('\n')
  return before !== after
}

/**
 * Shows the difference on our own terminal as the user's git does, with their pager and their diff program, or prints a
 * plain patch. All settings are the user's and the library's: nothing in the mission's directory is read.
 */
export async function showDiff(
  context: Context,
  { repo, from, to }: Comparison,
  looks: DiffLooks,
): Promise<void> {
  const { exec, env, out } = context
  const looksLikeGit = out.isTerminal
  const args = [
    ...(looksLikeGit ? [] : ['--no-pager']),
    'diff',
    ...(looksLikeGit ? always : plain),
    ...colour(context, looks),
    ...(looks.stat ? ['--stat'] : []),
    ...(looks.nameOnly ? ['--name-only'] : []),
    ...(looks.patch ? ['--patch'] : []),
    from,
    to,
    '--',
  ]
  const git = exec.start('git', gitArguments(args, { gitDir: repo.library, mayPage: looksLikeGit }), {
    env: { ...diffEnvironment(env, to), ...(looksLikeGit ? userDiffProgram(env) : {}) },
    stdio: 'inherit',
  })
  // Ctrl-C is for the pager.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const { exitCode, signal, missing, stderr } = await collect(git)
    if (exitCode === null && signal === null)
      throw new AgencError(missing ? 'git is not installed' : `cannot run git: ${stderr}`)
    // The reader has seen enough.
    const isLeft = signal === 'SIGPIPE' || signal === 'SIGINT' || exitCode === 141 || exitCode === 130
    if (exitCode !== 0 && !isLeft)
      throw new AgencError('git could not show the difference', 'Its message is above.')
  } finally {
    process.off('SIGINT', ignore)
  }
}

function colour({ env, out }: Context, { hasColour }: DiffLooks): string[] {
  if (hasColour !== undefined) return [hasColour ? '--color=always' : '--no-color']
  // git itself knows when a terminal takes colours, but not NO_COLOR.
  return wantsColour(out.isTerminal, env) ? [] : ['--no-color']
}

function diffEnvironment(env: NodeJS.ProcessEnv, to: string): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment(env, { mayPrompt: false }),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // The repo's attributes say which files are binary or generated. Any program they name is one of the user's own.
    GIT_ATTR_SOURCE: to,
  }
}

function userDiffProgram({ GIT_EXTERNAL_DIFF: program }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return program === undefined ? {} : { GIT_EXTERNAL_DIFF: program }
}

/** Writes a plain patch to a file, whatever its size. */
export async function writePatch({ repo, from, to }: Comparison, path: string): Promise<void> {
  const args = ['diff', ...plain, '--no-color', `--output=${path}`, from, to, '--']
  const written = libraryGit(repo, args, { config: ['core.quotePath=false'], env: { GIT_ATTR_SOURCE: to } })
  await outputOf(written, 'cannot compare the files')
}

export type FileStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'type_changed'

export interface ChangedFile {
  path: string
  /** Its former path, if it was renamed. */
  old_path: string | null
  status: FileStatus
  /** Null for a binary file. */
  insertions: number | null
  deletions: number | null
  binary: boolean
}

const statuses: Record<string, FileStatus> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
}

export async function changedFiles({ repo, from, to }: Comparison): Promise<ChangedFile[]> {
  const args = ['diff-tree', '-r', '-z', '--find-renames', '--raw', '--numstat', from, to]
  const listed = await outputOf(libraryGit(repo, args), 'cannot compare the files')
  return readChangedFiles(listed.split('\0'))
}

/** Reads the output of `--raw --numstat -z`: first the status of every file, then the numbers in the same order. */
function readChangedFiles(words: readonly string[]): ChangedFile[] {
  const files: Pick<ChangedFile, 'path' | 'old_path' | 'status'>[] = []
  let at = 0
  while (words[at]?.startsWith(':')) {
    const status = statuses[words[at]!.split(' ')[4]![0]!] ?? 'modified'
    const isRename = status === 'renamed'
    files.push({ status, old_path: isRename ? words[at + 1]! : null, path: words[at + (isRename ? 2 : 1)]! })
    at += isRename ? 3 : 2
  }
  return files.map(file => {
    const [insertions, deletions, path] = words[at]!.split('\t')
    at += path === '' ? 3 : 1
    const binary = insertions === '-'
    return {
      ...file,
      insertions: binary ? null : Number(insertions),
      deletions: binary ? null : Number(deletions),
      binary,
    }
  })
}
