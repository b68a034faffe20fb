import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import type { Box } from '../place/box.ts'
import { makeLargeRepo } from '../place/large-repo.ts'
import { projectRoot } from '../place/root.ts'
import { timeProgram } from '../place/timing.ts'
import { workingCopyAtMost } from '../rows.ts'
import type { Case } from './case.ts'

const files = 20_000

/** createWorkingCopy itself, timed inside a process of its own: what `mission new <repo>` does on top is not in it. */
export const workingCopy: Case = {
  prepare: box => {
    const library = makeLargeRepo(box, files)
    const destination = join(box.root, 'copy')
    const child = bundleChild(box)
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

/** Where the project's packages are found. */
function bundleChild(box: Box): string {
  const outfile = join(projectRoot, 'node_modules', '.cache', 'agenc', `working-copy-${process.pid}.mjs`)
  buildSync({
    entryPoints: [join(projectRoot, 'test', 'bench', 'place', 'working-copy-child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.17',
  })
  box.leftovers.add(() => rmSync(outfile))
  return outfile
}

function timeChild(box: Box, args: string[]): number {
  const done = spawnSync(process.execPath, args, { env: box.env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return Number(done.stdout)
}

/** Copy-on-write: btrfs, XFS, APFS and the like. */
function canShareBlocks(box: Box): boolean {
  const from = box.write('original', 'x')
  const flag = process.platform === 'darwin' ? '-c' : '--reflink=always'
  return spawnSync('cp', [flag, from, join(box.root, 'clone')], { stdio: 'ignore' }).status === 0
}
