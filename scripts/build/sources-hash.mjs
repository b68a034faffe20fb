import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const sources = [
  'src',
  'stand-in',
  'docs/for-agents.md',
  'scripts/build.mjs',
  'scripts/build',
  'package.json',
  'package-lock.json',
]

/** The file in dist/ that holds the hash of the sources of that build. */
export const sourcesHashFile = 'sources.sha256'

/** A hash of every file that the build reads, so that an outdated build can be recognised. */
export function sourcesHash(root) {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(source => filesAt(root, source)).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function filesAt(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
}
