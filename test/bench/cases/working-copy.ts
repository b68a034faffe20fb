import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Box, bundleScript, timeProgram } from '../box.ts'
import type { Case } from '../comparison.ts'
import { workingCopyAtMost } from '../rows.ts'

const files = 20_000

/** Times createWorkingCopy alone, in a process of its own, without the rest of `mission new <repo>`. */
export const workingCopy: Case = {
  prepare: box => {
    const library = makeLargeRepo(box, files)
    const destination = join(box.root, 'copy')
    const child = bundleScript(box, 'cases', 'working-copy-child.ts')
    const clear = () => rmSync(destination, { recursive: true, force: true })
    return {
      subject: async () => {
        clear()
        return timeChild(box, [child, library, destination])
      },
      floor: async () => {
        clear()
        return timeProgram(box, 'git', ['clone', '--quiet', '--local', library, destination])
      },
      atMost: canShareBlocks(box) ? workingCopyAtMost.copyOnWrite : workingCopyAtMost.otherwise,
    }
  },
}

function timeChild(box: Box, args: string[]): number {
  const done = spawnSync(process.execPath, args, { env: box.env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return Number(done.stdout)
}

/** True on file systems with copy-on-write, such as btrfs, XFS and APFS. */
function canShareBlocks(box: Box): boolean {
  const from = box.write('original', 'x')
  const flag = process.platform === 'darwin' ? '-c' : '--reflink=always'
  return spawnSync('cp', [flag, from, join(box.root, 'clone')], { stdio: 'ignore' }).status === 0
}

const filesPerDirectory = 100
const filler = 'All work and no play makes a dull repository.\n'.repeat(40)

/** A bare repo like those in the library: one commit, one pack. */
export function makeLargeRepo(box: Box, files: number): string {
  const repo = join(box.root, 'large.git')
  const git = (args: string[], input = '') =>
    execFileSync('git', args, { env: box.env, input, stdio: ['pipe', 'ignore', 'inherit'] })
  git(['init', '--quiet', '--bare', '--initial-branch=main', repo])
  git(['-C', repo, 'fast-import', '--quiet'], fastImport(files))
  return repo
}

function fastImport(files: number): string {
  const commit = 'commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\n'
  return [commit, data('everything'), ...Array.from({ length: files }, (_, index) => file(index))].join('')
}

function file(index: number): string {
  const directory = String(Math.floor(index / filesPerDirectory)).padStart(4, '0')
  return `M 100644 inline ${directory}/${index}.txt\n${data(`${index}\n${filler}`)}`
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}
