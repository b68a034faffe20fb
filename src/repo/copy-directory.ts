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
  platform?: NodeJS.Platform
}

/**
 * A working directory with everything in it, committed or not; shares its blocks with the original where the
 * file system can. Links stay links, permissions stay.
 */
export async function copyDirectory(copy: DirectoryCopy): Promise<void> {
  const { exec, env, from, to, signal, platform = process.platform } = copy
  await fillThenPlace(dirname(to), to, async directory => {
    let copied: Result | undefined
    for (const args of copyArguments(platform, from, directory)) {
      copied = await exec.stream('cp', args, { env: { ...env, LC_ALL: 'C' }, signal })
      if (signal?.aborted) throw new Cancelled()
      // A cp that does not know its options has made nothing; any other has failed for good.
      if (existsSync(directory)) break
    }
    if (copied?.exitCode !== 0 && !lacksOnlyVanished(directory, copied)) throw copyFailed(from, copied)
    moveWorktrees(directory, from, to)
  })
}

/** The ways to ask for a copy, best first: not every `cp` knows how to share blocks. */
export function copyArguments(platform: NodeJS.Platform, from: string, to: string): string[][] {
  if (platform === 'darwin') return [['-Rpc', from, to]]
  return [
    ['-a', '--reflink=auto', '-T', '--', from, to],
    ['-a', '--', `${from}/.`, to],
  ]
}

const vanished = /^cp: (?!can(not|'t) create ).*: No such file or directory$/
const neededObject = /\.git\/(.*\/)?objects\/(?!.*\btmp_)/

/** Claude may be at work in the original: files come and go. Objects that git just packed would be missed. */
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
  return new AgencError(`cannot copy ${from}: ${reason ?? 'cp failed'}`, 'Is there room on the disk?')
}

/**
 * git writes absolute paths into linked worktrees (Claude makes some below `.claude`). In a copy of the whole
 * they would still mean the original, and a commit in the copy would land there.
 * `copied` is where the copy lies now, `to` where it will.
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
 * Where below `root` the worktree's `.git` file is; undefined when it is elsewhere, or nowhere. Either path may go
 * through links, and git can be told to write a relative one.
 */
function placeInside(pointer: string, root: string, name: string): string | undefined {
  if (!existsSync(pointer)) return undefined
  const written = resolve(root, '.git', 'worktrees', name, readFileSync(pointer, 'utf8').trimEnd())
  if (!existsSync(written)) return undefined
  const path = relative(realpathSync(root), join(realpathSync(dirname(written)), basename(written)))
  return path === '' || path.startsWith('..') ? undefined : path
}

/** No link on the way may lead out of the copy: its contents are not ours. */
function isInside(root: string, path: string): boolean {
  return existsSync(path) && `${realpathSync(dirname(path))}${sep}`.startsWith(`${realpathSync(root)}${sep}`)
}

/** Never written through: the file itself may be a link. */
function replaceFile(path: string, text: string): void {
  rmSync(path)
  writeFileSync(path, text, { flag: 'wx' })
}
