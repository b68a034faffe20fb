import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const objectName = /^[0-9a-f]{64}$/
const chunkBytes = 1024 * 1024

/**
 * Copies what git LFS keeps beside git: a commit has only its name. Each file is checked, because the mission's Claude can
 * write there. Returns the number of copied files.
 */
export function copyLargeFiles(fromGitDir: string, toGitDir: string): number {
  const from = join(fromGitDir, 'lfs', 'objects')
  if (!existsSync(from)) return 0
  let copied = 0
  for (const path of filesBelow(from)) {
    const target = join(toGitDir, 'lfs', 'objects', path)
    const name = path.split('/').at(-1)!
    if (!objectName.test(name) || existsSync(target) || digestOf(join(from, path)) !== name) continue
    mkdirSync(dirname(target), { recursive: true })
    const draft = `${target}.agenc-${process.pid}`
    copyFileSync(join(from, path), draft, constants.COPYFILE_FICLONE)
    renameSync(draft, target)
    copied++
  }
  return copied
}

/** Only regular files in real directories. */
function filesBelow(directory: string, below = ''): string[] {
  return readdirSync(join(directory, below)).flatMap(name => {
    const path = below === '' ? name : `${below}/${name}`
    const stats = lstatSync(join(directory, path))
    if (stats.isDirectory()) return filesBelow(directory, path)
    return stats.isFile() ? [path] : []
  })
}

function digestOf(path: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(chunkBytes)
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const bytes = readSync(file, chunk)
      if (bytes === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, bytes))
    }
  } finally {
    closeSync(file)
  }
}
