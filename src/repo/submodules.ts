import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { cleanText } from '../io/text.ts'
import { askGit, type GitTools, gitReason, type LongGitOptions, runGit } from './git.ts'
import { withoutSecrets } from './reference.ts'
import { fetchedRef, submoduleMode } from './unsaved-work.ts'

/** The protocols that a submodule may be fetched by. A path on this machine or a program is not among them. */
const protocols = 'https:http:ssh:git'

/** The submodules of a working copy, without those inside of them. */
export function submodulePaths(tools: GitTools, root: string): string[] {
  if (!existsSync(join(root, '.gitmodules'))) return []
  const gitDir = join(root, '.git')
  const { stdout } = askGit(tools, ['ls-files', '--stage', '-z'], { gitDir, workTree: root, cwd: root })
  const entries = stdout.split('\0').filter(entry => entry.startsWith(`${submoduleMode} `))
  return entries.map(entry => entry.slice(entry.indexOf('\t') + 1))
}

export interface SubmoduleFetch extends Pick<LongGitOptions, 'showsProgress' | 'logPath' | 'signal'> {
  /** Called with the path and the reason for each submodule that cannot be fetched. */
  onMissing(path: string, reason: string): void
}

/**
 * Fetches the submodules of a trusted repo, and those inside of them, each by itself: with a list, git would check out
 * none of them if one cannot be cloned. Call it only before the first Claude has run in the working copy, because git
 * obeys the settings there.
 */
export async function fetchSubmodules(
  tools: GitTools,
  root: string,
  fetch: SubmoduleFetch,
  prefix = '',
): Promise<void> {
  for (const path of submodulePaths(tools, root)) {
    const shown = prefix + path
    if (fetch.logPath !== undefined)
      appendFileSync(fetch.logPath, `submodule ${cleanText(shown)}\n`, { mode: 0o600 })
    const progress = fetch.showsProgress ? ['--progress'] : []
    const done = await runGit(tools, ['submodule', 'update', '--init', ...progress, '--', path], {
      ...fetch,
      cwd: root,
      config: ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false'],
      env: { GIT_ALLOW_PROTOCOL: protocols, GIT_LITERAL_PATHSPECS: '1' },
    })
    if (done.exitCode !== 0) fetch.onMissing(cleanText(shown), reasonOf(done))
    // A submodule with `update = none` has no repo of its own: git would take the outer one for it.
    if (done.exitCode !== 0 || !existsSync(join(root, path, '.git'))) continue
    askGit(tools, ['update-ref', fetchedRef, 'HEAD'], { gitDir: join(root, path, '.git') })
    await fetchSubmodules(tools, join(root, path), fetch, `${shown}/`)
  }
}

/** The first line says what is wrong. Those after it say that the clone failed, and that it was tried twice. */
function reasonOf(done: Parameters<typeof gitReason>[0]): string {
  const lines = done.stderr.split(/[\r\n]+/).map(cleanText)
  const first = lines.find(line => /^(fatal|error|ssh): /.test(line) && !line.startsWith('fatal: clone of '))
  const reason = first === undefined ? gitReason(done) : withoutSecrets(first.replace(/^(fatal|error): /, ''))
  const [, protocol] = /^transport '(.*)' not allowed$/.exec(reason) ?? []
  return protocol === undefined ? reason : `agenc does not fetch submodules by the protocol "${protocol}"`
}
