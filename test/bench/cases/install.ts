import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Box, projectRoot } from '../box.ts'
import type { Case } from '../comparison.ts'

const notCopied = ['node_modules', 'dist', '.git']
const bytesPerMib = 2 ** 20

/** Installs a fresh clone with an empty npm cache, then the packed package as a user would. */
export const install: Case = {
  measureFigures: box => {
    const clone = join(box.root, 'clone')
    cpSync(projectRoot, clone, { recursive: true, filter: path => !notCopied.includes(basename(path)) })
    const beforeMs = performance.now()
    npm(box, clone, ['ci'])
    const tookMs = performance.now() - beforeMs
    npm(box, clone, ['pack', '--pack-destination', box.root])
    const tarball = readdirSync(box.root).find(name => name.endsWith('.tgz'))!
    const place = join(box.root, 'installed')
    mkdirSync(place)
    npm(box, place, ['install', '--prefix', place, join(box.root, tarball)])
    return [
      {
        label: 'package',
        value: lstatSync(join(box.root, tarball)).size / bytesPerMib,
        unit: 'MiB',
        atMost: null,
      },
      { label: 'installed', value: sizeOf(place) / bytesPerMib, unit: 'MiB', atMost: null },
      { label: 'cold npm ci', value: tookMs / 1_000, unit: 's', atMost: null },
    ]
  },
}

/** Runs in the user's own environment, because the registry may need settings. Only the cache is new. */
function npm(box: Box, cwd: string, args: string[]): void {
  const cache = ['--cache', join(box.root, 'npm-cache')]
  execFileSync('npm', [...args, ...cache, '--no-audit', '--no-fund'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => lstatSync(join(parentPath, name)).size)
    .reduce((sum, bytes) => sum + bytes, 0)
}
