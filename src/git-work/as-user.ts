import { AgencError } from '../errors.ts'
import { askGit, type GitTools, gitReason } from '../repo/git.ts'
import type { Result } from '../system/runner.ts'
import { libraryGit, type MissionRepo } from './mission-repo.ts'

/** How `git commit-tree` writes a commit in the user's name. */
export interface AsUser {
  config: string[]
  args: string[]
}

/** A checkout may have a name and an address of its own. The programs that sign are those of the user's global settings. */
const personalKeys = ['user.name', 'user.email', 'user.signingkey', 'commit.gpgsign', 'gpg.format']

/** The user's name, and whether they sign. `gitDir` is that of their own checkout if it is known, else the library's. */
export function asUser(tools: GitTools, gitDir: string): AsUser {
  const ask = (...args: string[]) => askGit(tools, ['config', ...args], { gitDir })
  const config = personalKeys.flatMap(key => {
    const { exitCode, stdout } = ask('--get', key)
    return exitCode === 0 ? [`${key}=${stdout.replace(/\n$/, '')}`] : []
  })
  const signs = ask('--type=bool', '--get', 'commit.gpgsign').stdout.trim() === 'true'
  return { config, args: signs ? ['--gpg-sign'] : [] }
}

/** The id of a new commit. `env` may name another author, or the directory that objects are written to. */
export async function commitTree(
  repo: MissionRepo,
  { config, args }: AsUser,
  {
    tree,
    parents,
    message,
    env,
  }: { tree: string; parents: readonly string[]; message: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  const words = ['commit-tree', ...args, tree, ...parents.flatMap(parent => ['-p', parent]), '-F', '-']
  const made = await libraryGit(repo, words, {
    config: [...config, 'i18n.commitEncoding=UTF-8'],
    env,
    input: withNewline(message),
  })
  if (made.exitCode !== 0) throw cannotCommit(made)
  return made.stdout.trim()
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function cannotCommit(result: Result): AgencError {
  if (/tell me who you are|unable to auto-detect|empty ident/i.test(result.stderr))
    return new AgencError(
      'git does not know your name, so nothing can be committed',
      'Set it with: git config --global user.name "Your Name" && git config --global user.email you@example.com',
    )
  if (/sign|gpg/i.test(result.stderr))
    return new AgencError(
      `the commit cannot be signed: ${gitReason(result)}`,
      'Your git settings ask for signatures (commit.gpgsign). Unlock your key, then try again.',
    )
  return new AgencError(`cannot commit: ${gitReason(result)}`)
}
