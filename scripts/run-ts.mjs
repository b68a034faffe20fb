// Bundles a TypeScript file of this project and runs it: `node scripts/run-ts.mjs scripts/generate/write.ts`.
// The bundle is inside node_modules, so that packages resolve from there.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const directory = join(root, 'node_modules', '.cache', 'agenc')
const outfile = join(directory, `run-${process.pid}.mjs`)
mkdirSync(directory, { recursive: true })
await build({
  entryPoints: [resolve(process.argv[2])],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.17',
})
try {
  await import(pathToFileURL(outfile).href)
} finally {
  rmSync(outfile)
}
