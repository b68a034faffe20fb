import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'

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
