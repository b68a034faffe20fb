import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../io/temporary-directory.ts'
import { cleanText } from '../io/text.ts'
import { gitEnvironment } from '../repo/git.ts'
import { withoutSecrets } from '../repo/reference.ts'
import { findProgram } from '../system/find-program.ts'
import type { Result } from '../system/runner.ts'
import { type HostedRepo, hostedRepo, isGitHub } from './pull-request-address.ts'
import type { PullRequestText } from './pull-request-text.ts'

export interface PullRequest {
  number: number | null
  url: string
}

/** GitHub's own program, for one repo. */
export interface GitHubCli {
  /** The open pull request of a branch, or null. */
  find(branch: string): Promise<PullRequest | null>
  /** Throws if gh fails. */
  create(
    wish: PullRequestText & { head: string; base: string | null; isDraft: boolean },
  ): Promise<PullRequest>
}

/** Returns null if the remote is not on GitHub, or `gh` is not installed. */
export function gitHubCli(context: Context, url: string, signal: AbortSignal): GitHubCli | null {
  const repo = hostedRepo(url)
  const program = findProgram('gh', context.env)
  if (repo === null || program === null) return null
  if (!isGitHub(repo) && context.env.GH_HOST !== repo.host) return null
  const run = (args: readonly string[], text = '') => runGh(context, program, repo, args, text, signal)
  return {
    async find(branch) {
      const asked = await run(['pr', 'view', branch, '--json', 'number,url,state'])
      return asked.exitCode === 0 ? openOne(asked.stdout) : null
    },
    async create({ head, base, title, body, isDraft }) {
      const ontoBase = base === null ? [] : ['--base', base]
      const draft = isDraft ? ['--draft'] : []
      const args = [
        'pr',
        'create',
        '--head',
        head,
        ...ontoBase,
        '--title',
        title,
        '--body-file',
        bodyFile,
        ...draft,
      ]
      const created = await run(args, body)
      const found = created.stdout.match(/https?:\/\/\S+\/pull\/\d+/g)?.at(-1)
      if (created.exitCode === 0 && found !== undefined)
        return { number: Number(/\d+$/.exec(found)![0]), url: found }
      throw new AgencError(`gh could not open a pull request: ${reasonOf(created)}`)
    },
  }
}

const bodyFile = 'body.md'

/** Runs in a directory of its own, so that no repo around it has a say. The text of a pull request is in a file there. */
async function runGh(
  context: Context,
  program: string,
  { host, path }: HostedRepo,
  args: readonly string[],
  text: string,
  signal: AbortSignal,
): Promise<Result> {
  const place = makeTemporaryDirectoryIn(temporaryPlaces(context.paths.home), 'agenc-pr-')
  try {
    writeFileSync(join(place.path, bodyFile), text, { mode: 0o600 })
    const [noun, verb, ...rest] = args
    const repo = host === 'github.com' ? path : `${host}/${path}`
    const done = await context.exec.stream(program, [noun!, verb!, '--repo', repo, ...rest], {
      cwd: place.path,
      // Its questions would need an answer, and its answers are read by a program.
      env: {
        ...gitEnvironment(context.env, { mayPrompt: false }),
        GH_PROMPT_DISABLED: '1',
        NO_COLOR: '1',
        GH_NO_UPDATE_NOTIFIER: '1',
      },
      signal,
    })
    if (signal.aborted) throw new Cancelled()
    return done
  } finally {
    place.remove()
  }
}

function openOne(json: string): PullRequest | null {
  try {
    const { number, url, state } = JSON.parse(json)
    return state === 'OPEN' && typeof url === 'string' ? { number: Number(number) || null, url } : null
  } catch {
    return null
  }
}

function reasonOf(result: Result): string {
  const lines = `${result.stdout}\n${result.stderr}`.split(/[\r\n]+/).map(cleanText)
  const said = lines.filter(line => line !== '').slice(-3)
  return withoutSecrets(said.join('; ')) || `it ended with ${result.signal ?? result.exitCode}`
}
