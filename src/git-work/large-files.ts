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
import { keptRefs, libraryGit, type MissionRepo, outputOf } from './mission-repo.ts'

const objectName = /^[0-9a-f]{64}$/
const chunkBytes = 1024 * 1024

/**
 * Copies what git LFS keeps beside git: a commit has only its name. Each file is checked, because the mission's Claude can
 * write there. Returns the number of copied files.
 */
export function copyLargeFiles(
  fromGitDir: string,
  toGitDir: string,
  isWanted: (name: string) => boolean = () => true,
): number {
  const from = join(fromGitDir, 'lfs', 'objects')
  if (!existsSync(from)) return 0
  let copied = 0
  for (const path of filesBelow(from)) {
    const target = join(toGitDir, 'lfs', 'objects', path)
    const name = path.split('/').at(-1)!
    if (!objectName.test(name) || !isWanted(name) || existsSync(target)) continue
    if (digestOf(join(from, path)) !== name) continue
    mkdirSync(dirname(target), { recursive: true })
    const draft = `${target}.agenc-${process.pid}`
    copyFileSync(join(from, path), draft, constants.COPYFILE_FICLONE)
    renameSync(draft, target)
    copied++
  }
  return copied
}

/** A pointer is what git has of such a file. */
const mostPointerBytes = 1024
const pointerLine = /^oid sha256:([0-9a-f]{64})$/gm

/** Copies the files of git LFS that a mission has added to the library, before its directory goes. */
export async function keepLargeFiles(repo: MissionRepo, base: string | null): Promise<void> {
  const gitDir = join(repo.directory, '.git')
  if (!existsSync(join(gitDir, 'lfs', 'objects'))) return
  const git = (args: string[], input?: string) =>
    outputOf(libraryGit(repo, args, { input }), 'cannot find the files of git LFS')
  const { root } = keptRefs(repo.id)
  const range = [`--glob=${root}*`, ...(base === null ? [] : ['--not', base])]
  const objects = await git(['rev-list', '--objects', '--no-object-names', ...range])
  const sizes = await git(['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'], objects)
  const small = sizes.split('\n').flatMap(line => {
    const [id, type, bytes] = line.split(' ')
    return type === 'blob' && Number(bytes) < mostPointerBytes ? [`${id}\n`] : []
  })
  const texts = await git(['cat-file', '--batch'], small.join(''))
  const wanted = new Set([...texts.matchAll(pointerLine)].map(([, name]) => name!))
  copyLargeFiles(gitDir, repo.library, name => wanted.has(name))
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
