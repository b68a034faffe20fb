// Bundles src/ and stand-in/ into CommonJS chunks below dist/, each loaded when its command is named.
// esbuild splits only ES modules, and Node starts CommonJS some 7 ms sooner: so split first, convert after.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, transform } from 'esbuild'
import { apart, hotFiles } from './build/hot.mjs'
import { thirdPartyNotices } from './build/notices.mjs'

const root = join(import.meta.dirname, '..')
const outdir = join(root, 'dist')
const staleAfterMs = 7 * 24 * 60 * 60 * 1000

const settings = {
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node20.17',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
}

const bundled = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/start.ts',
    'stand-in': 'stand-in/main.ts',
    ...Object.fromEntries(Object.entries(apart).map(([name, path]) => [`apart/${name}`, path])),
  },
  outdir,
  bundle: true,
  splitting: true,
  write: false,
  ...settings,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  external: ['*.node'],
  metafile: true,
})

const files = new Map([
  [join(outdir, 'package.json'), '{"type":"commonjs"}\n'],
  ...['new.sh', 'switch.sh'].map(name => [
    join(outdir, name),
    readFileSync(join(root, 'src', 'tmux', name), 'utf8'),
  ]),
  [join(outdir, 'THIRD-PARTY.txt'), thirdPartyNotices(root, bundled.metafile)],
])
for (const [path, text] of await hotFiles(root, settings)) files.set(join(outdir, path), text)
// The entry comes last: until then the old one finds its old chunks.
for (const { path, text } of bundled.outputFiles.toSorted(entryLast)) files.set(path, await commonJs(text))
for (const [path, text] of files) writeAtomically(path, text)
await removeOthers(process.argv.includes('--clean') ? 0 : staleAfterMs)
console.error(`built ${bundled.outputFiles.length} files into ${relative(process.cwd(), outdir) || outdir}`)

function entryLast(a, b) {
  return Number(a.path.endsWith('main.js')) - Number(b.path.endsWith('main.js'))
}

async function commonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.17',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.filename': '__filename' },
    minifyWhitespace: true,
  })
  return code
}

function writeAtomically(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/** A mission that started before an update may still load chunks of the build it came from. */
async function removeOthers(olderThanMs) {
  for (const entry of await readdir(outdir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || files.has(path)) continue
    if (Date.now() - statSync(path).mtimeMs >= olderThanMs) rmSync(path)
  }
}
