import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { AgencError, Cancelled } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import type { Result, Runner } from '../system/runner.ts'
import { fillThenPlace } from './staging.ts'

export interface DirectoryCopy {
  exec: Runner
  env: NodeJS.ProcessEnv
  from: string
  to: string
  signal?: AbortSignal
  /** Where the copy is made before it is moved to its place. Defaults to the parent directory of `to`. */
  stagingRoot?: string
  /** Leaves out every `.git`, which may belong to another repo. */
  omitsGit?: boolean
  platform?: NodeJS.Platform
}

/**
 * Copies a working directory with everything in it, committed or not. Shares blocks with the original if the file
 * system can. Keeps links and permissions.
 */
export async function copyDirectory(copy: DirectoryCopy): Promise<void> {
  const { exec, env, from, to, signal, platform = process.platform } = copy
  await fillThenPlace(copy.stagingRoot ?? dirname(to), to, async directory => {
    let copied: Result | undefined
    for (const args of copyArguments(platform, from, directory)) {
      copied = await exec.stream('cp', args, { env: { ...env, LC_ALL: 'C' }, signal })
      if (signal?.aborted) throw new Cancelled()
      // A cp that does not know an option creates nothing; the next arguments may work. Any other failure is final.
      if (existsSync(directory)) break
    }
    if (copied?.exitCode !== 0 && !lacksOnlyVanished(directory, copied)) throw copyFailed(from, copied)
    if (copy.omitsGit) await removeGit(copy, directory)
    else moveWorktrees(directory, from, to)
  })
}

async function removeGit({ exec, env, from, signal }: DirectoryCopy, directory: string): Promise<void> {
  const args = [directory, '-name', '.git', '-prune', '-exec', 'rm', '-rf', '{}', '+']
  const removed = await exec.stream('find', args, { env: { ...env, LC_ALL: 'C' }, signal })
  if (signal?.aborted) throw new Cancelled()
  if (removed.exitCode !== 0) throw copyFailed(from, removed)
}

/** The argument lists to try, best first, because not every `cp` can share blocks. */
export function copyArguments(platform: NodeJS.Platform, from: string, to: string): string[][] {
  if (platform === 'darwin') return [['-Rpc', from, to]]
  return [
    ['-a', '--reflink=auto', '-T', '--', from, to],
    ['-a', '--', `${from}/.`, to],
  ]
}

const vanished = /^cp: (?!can(not|'t) create ).*: No such file or directory$/
const neededObject = /\.git\/(.*\/)?objects\/(?!.*\btmp_)/

/** Files may vanish during the copy because Claude works in the original. Git objects must not: the copy needs them. */
function lacksOnlyVanished(directory: string, result: Result | undefined): boolean {
  const lines = result?.stderr.split('\n').filter(line => line !== '') ?? []
  const isVanished = (line: string) => vanished.test(line) && !neededObject.test(line)
  return result?.exitCode === 1 && lines.length > 0 && lines.every(isVanished) && existsSync(directory)
}

function copyFailed(from: string, result: Result | undefined): AgencError {
  const reason = result?.stderr
    .split('\n')
    .map(cleanText)
    .find(line => line !== '')
  return new AgencError(`cannot copy ${from}: ${reason ?? 'cp failed'}`, 'Check that the disk is not full.')
}

/**
 * Corrects the absolute paths that git writes into linked worktrees, which Claude creates below `.claude`. Otherwise a
 * commit in the copy would land in the original. `copied` is the copy's present path, `to` its final one.
 */
export function moveWorktrees(copied: string, from: string, to: string): void {
  const registered = join(copied, '.git', 'worktrees')
  if (!existsSync(registered) || !isInside(copied, registered)) return
  for (const name of readdirSync(registered)) {
    const pointer = join(registered, name, 'gitdir')
    const inside = placeInside(pointer, from, name)
    if (inside !== undefined && isInside(copied, pointer) && isInside(copied, join(copied, inside))) {
      replaceFile(pointer, `${join(to, inside)}\n`)
      replaceFile(join(copied, inside), `gitdir: ${join(to, '.git', 'worktrees', name)}\n`)
    } else {
      rmSync(join(registered, name), { recursive: true, force: true })
    }
  }
}

/**
 * The path of the worktree's `.git` file below `root`. Returns undefined if it is elsewhere or missing. Both paths may
 * contain links, and git can be configured to write relative paths.
 */
function placeInside(pointer: string, root: string, name: string): string | undefined {
  if (!existsSync(pointer)) return undefined
  const written = resolve(root, '.git', 'worktrees', name, readFileSync(pointer, 'utf8').trimEnd())
  if (!existsSync(written)) return undefined
  const path = relative(realpathSync(root), join(realpathSync(dirname(written)), basename(written)))
  return path === '' || path.startsWith('..') ? undefined : path
}

/** Guards against links that lead out of the copy, whose contents are not trusted. */
function isInside(root: string, path: string): boolean {
  return existsSync(path) && `${realpathSync(dirname(path))}${sep}`.startsWith(`${realpathSync(root)}${sep}`)
}

/** Removes the file first, because writing to a link would change its target. */
function replaceFile(path: string, text: string): void {
  rmSync(path)
  writeFileSync(path, text, { flag: 'wx' })
}
