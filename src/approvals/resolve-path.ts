import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

const maxLinks = 40

/**
 * Returns where a write to this absolute path would land. Follows the path as the kernel does: `..` after a symbolic
 * link leaves the directory that the link leads to. Names that do not exist yet are kept. A dangling link is followed,
 * because a write through it creates its target.
 */
export function realPath(path: string): string {
  const left = components(path)
  let place = '/'
  let links = 0
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      place = dirname(place)
      continue
    }
    const next = join(place, name)
    const target = linkTarget(next)
    if (target === null) {
      place = next
      continue
    }
    if (++links > maxLinks) throw new Error(`too many symbolic links: ${path}`)
    if (isAbsolute(target)) place = '/'
    left.unshift(...components(target))
  }
  return trueCase(place)
}

function components(path: string): string[] {
  return path.split('/').filter(name => name !== '' && name !== '.')
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null
  }
}

/** On a file system that ignores case, one file has many spellings; this returns the one on the disk. */
function trueCase(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(trueCase(parent), path.slice(parent.length))
  }
}
