import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

const maxLinks = 40

/**
 * Where a write to this absolute path would land, walked the way the kernel does: `..` leaves the place
 * a link led to, not the link. What does not exist yet is kept as it is; a dangling link counts as what
 * it points to, since a write through it creates that.
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
    if (++links > maxLinks) throw new Error(`too many links: ${path}`)
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

/** On a file system that ignores case, one file has many spellings. */
function trueCase(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(trueCase(parent), path.slice(parent.length))
  }
}
