import { askGit, type GitTools } from './git.ts'

const usualBranches = ['main', 'master', 'trunk', 'develop'].map(name => `refs/heads/${name}`)

/**
 * Makes HEAD of a library repo a branch that exists, so that a working copy starts on one: the remote's
 * default where it has one. A remote can name a branch that is gone, or none (a detached HEAD).
 */
export function settleHead(tools: GitTools, gitDir: string, remoteDefault?: string): void {
  const current = askGit(tools, ['symbolic-ref', '--quiet', 'HEAD'], { gitDir }).stdout.trim()
  if (current !== '' && current === remoteDefault) return
  const branches = listBranches(tools, gitDir)
  const chosen = chooseHead(branches, [remoteDefault, current], commitOfHead(tools, gitDir))
  if (chosen !== undefined && chosen !== current) askGit(tools, ['symbolic-ref', 'HEAD', chosen], { gitDir })
}

export interface Branch {
  ref: string
  commit: string
}

export function chooseHead(
  branches: readonly Branch[],
  preferred: readonly (string | undefined)[],
  headCommit: string,
): string | undefined {
  const exists = (ref: string | undefined) => branches.some(branch => branch.ref === ref)
  const atHead = branches.filter(branch => branch.commit === headCommit).map(branch => branch.ref)
  return (
    preferred.find(exists) ??
    usualBranches.find(ref => atHead.includes(ref)) ??
    atHead[0] ??
    usualBranches.find(exists) ??
    branches[0]?.ref
  )
}

function listBranches(tools: GitTools, gitDir: string): Branch[] {
  const listed = askGit(tools, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'], {
    gitDir,
  })
  const lines = listed.stdout.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const [commit = '', ref = ''] = line.split(' ')
    return { commit, ref }
  })
}

function commitOfHead(tools: GitTools, gitDir: string): string {
  return askGit(tools, ['rev-parse', '--quiet', '--verify', 'HEAD'], { gitDir }).stdout.trim()
}
