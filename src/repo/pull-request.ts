import { hideCredentials } from './credentials.ts'
import { gitFailed, type LongGitOptions, runGit } from './git.ts'
import { fetchUrlOf } from './library.ts'
import { parseRemote } from './reference.ts'
import type { LibraryRepo } from './start-point.ts'

export interface PullRequest {
  number: number
  /** The ref of its head, at the remote and in the library. */
  ref: string
  /** The address of its page, if that is known. */
  url: string | null
}

/** The refs of GitHub (also Gitea and Forgejo) and of GitLab, with the end of the page's address. */
const forms = [
  { ref: (number: number) => `refs/pull/${number}/head`, page: 'pull' },
  { ref: (number: number) => `refs/merge-requests/${number}/head`, page: '-/merge_requests' },
]

export function pullRequestRefs(number: number): string[] {
  return forms.map(({ ref }) => ref(number))
}

/**
 * Fetches the head of a pull or merge request into the library. `url` is the address that the repo is listed with: a repo
 * that was added by path is asked first, then its own origin. Resolves to null if there is no such request.
 */
export async function fetchPullRequest(
  repo: LibraryRepo,
  number: number,
  url: string,
  options: Pick<LongGitOptions, 'showsProgress' | 'mayPrompt' | 'signal'>,
): Promise<PullRequest | null> {
  const own = fetchUrlOf(repo, repo.path)
  for (const address of new Set([own, url])) {
    const { url: remote, env } = hideCredentials(address)
    const git = (showsProgress: boolean, ...args: string[]) =>
      runGit(repo, args, { ...options, env, showsProgress, gitDir: repo.path })
    const listed = await git(false, 'ls-remote', remote, ...pullRequestRefs(number))
    if (listed.exitCode !== 0) throw gitFailed(`cannot look for pull request ${number}`, listed)
    const ref = pullRequestRefs(number).find(ref => listed.stdout.includes(`\t${ref}\n`))
    if (ref === undefined) continue
    const progress = options.showsProgress ? '--progress' : '--quiet'
    const fetched = await git(
      options.showsProgress ?? false,
      ...['fetch', progress, '--no-tags', '--no-write-fetch-head', remote, `+${ref}:${ref}`],
    )
    if (fetched.exitCode !== 0) throw gitFailed(`cannot fetch pull request ${number}`, fetched)
    return { number, ref, url: pageOf(url, ref, number) }
  }
  return null
}

/** Null for a repo on this machine. */
export function pageOf(repoUrl: string, ref: string, number: number): string | null {
  const form = forms.find(({ ref: refOf }) => refOf(number) === ref)!
  if (!/^(https?|ssh|git):\/\/|^[^/]+:/.test(repoUrl)) return null
  try {
    return `https://${parseRemote(repoUrl).id}/${form.page}/${number}`
  } catch {
    return null
  }
}
