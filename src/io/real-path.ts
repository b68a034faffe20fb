import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Links resolved as far as the path exists. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}
