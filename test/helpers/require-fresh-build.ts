import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourcesHash, sourcesHashFile } from '../../scripts/build/sources-hash.mjs'

/** Vitest calls this once before all tests. Most tests run the program in dist/, which would be the old one. */
export default function requireFreshBuild(): void {
  const problem = buildProblem(join(import.meta.dirname, '..', '..'))
  if (problem !== null) throw new Error(`${problem} Run 'npm run build' first, or use 'npm test'.`)
}

/** Returns null if dist/ was built from the sources as they are now. */
export function buildProblem(root: string): string | null {
  const stamp = join(root, 'dist', sourcesHashFile)
  if (!existsSync(stamp)) return 'There is no complete build in dist/.'
  if (readFileSync(stamp, 'utf8') !== sourcesHash(root))
    return 'The build in dist/ is older than the sources.'
  return null
}
