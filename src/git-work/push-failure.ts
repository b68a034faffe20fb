import { AgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { gitReason } from '../repo/git.ts'
import { withoutSecrets } from '../repo/reference.ts'
import type { Result } from '../system/runner.ts'

/** What a message about a push needs to know. */
interface About {
  branch: string
  url: string
  /** The mission's short id. */
  id: string
  base: string | null
}

interface Attempt extends About {
  /** The lines of the server, unless git has shown them already. */
  said: readonly string[]
  mayPrompt: boolean
  isForced: boolean
}

const mostLines = 15
const timeRanOut = 124

/** What the server itself said: a hook's reason, or the address of a pull request. */
export function serverLines(stderr: string): string[] {
  return stderr
    .split(/[\r\n]+/)
    .flatMap(line => /^remote: ?(.*)$/.exec(line)?.[1] ?? [])
    .map(line => withoutSecrets(cleanText(line)))
    .filter(line => line !== '')
}

/** Explains why the remote did not take a branch. `summary` is git's own, such as `[rejected] (fetch first)`. */
export function pushFailed(result: Result, summary: string | undefined, about: Attempt): AgencError {
  const { branch, url, said } = about
  const reason = /\((.*)\)\s*$/.exec(summary ?? '')?.[1]
  const why = reason === undefined ? reasonOf(result) : withoutSecrets(cleanText(reason))
  const advice = adviceOn(`${why}\n${reason === undefined ? result.stderr : ''}`, about)
  const lines = said.slice(-mostLines).map(line => `  remote: ${line}`)
  return new AgencError(`${url} did not take ${branch}: ${why}`, [...lines, advice].join('\n'))
}

/** git's own last line names no cause: the program that it ran has said it before. */
function reasonOf(result: Result): string {
  const lines = result.stderr.split(/[\r\n]+/).map(cleanText)
  const end = lines.findIndex(line => /^fatal: Could not read from remote repository/.test(line))
  const before = lines.slice(0, Math.max(end, 0)).findLast(line => line !== '')
  return before === undefined ? gitReason(result) : withoutSecrets(before.replace(/^(fatal|error): /, ''))
}

function adviceOn(why: string, { branch, id, base, url, mayPrompt, isForced }: Attempt): string {
  if (/checked out/.test(why))
    return `It is checked out there. Bring the work into that checkout with: agenc mission pull ${id}`
  if (/stale info/.test(why))
    return 'It has changed since the mission saw it last, so nothing was overwritten. Fetch it in the mission first.'
  if (/non-fast-forward|fetch first|needs force/.test(why)) {
    if (isForced)
      return 'The server lets nobody rewrite it. Push the work under another name with --as <name>.'
    return branch === base
      ? `It has commits that the mission does not have. Bring them in with: agenc mission sync ${id}`
      : [
          'It has commits that the mission does not have.',
          `If the mission has rewritten what it pushed before: agenc mission push ${id} --force-with-lease`,
          'If somebody else has pushed there, choose another name with --as <name>.',
        ].join('\n')
  }
  if (/failed to update ref|cannot lock ref/.test(why))
    return 'A branch with this name cannot be made there. Choose another one with --as <name>.'
  if (/hook declined|protected|prohibited|denied by/.test(why))
    return 'A rule of the server refuses it. The work is still in the mission; --as <name> pushes it under another name.'
  if (/could not read (Username|Password)|terminal prompts disabled/.test(why) && !mayPrompt)
    return 'git needs a password. Run this command in a terminal, or set up a credential helper.'
  return `Nothing is lost. Check that git can reach it: git ls-remote ${url}`
}

/** A push that ended before the remote answered. `timeoutMs` is null if the user interrupted it. */
export function cutOff(
  { branch, url }: About,
  timeoutMs: number | null,
): { message: string; hint: string; exitCode?: number } {
  const hint = `Whether it has ${branch} now is not known; pushing again does no harm.`
  if (timeoutMs === null) return { message: `the push to ${url} was interrupted`, hint }
  return {
    message: `${url} did not answer within ${timeoutMs / 1000} s`,
    hint: `${hint} Wait longer with --timeout <seconds>.`,
    exitCode: timeRanOut,
  }
}
