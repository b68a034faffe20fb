import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Box } from '../place/box.ts'
import { projectRoot } from '../place/root.ts'
import type { Case } from './case.ts'

const notCopied = ['node_modules', 'dist', '.git']
const bytesPerMib = 2 ** 20

/** A fresh clone with an empty npm cache; then what a user gets who installs the package. */
export const install: Case = {
  survey: box => {
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

/** The user's own settings for the registry count here; only the cache is new. */
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
