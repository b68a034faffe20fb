// Bundles src/ and stand-in/ into CommonJS files below dist/, or below the directory after --outdir.
// esbuild can split only ES modules, and Node starts CommonJS about 7 ms faster: so split first, then convert.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { build, transform } from 'esbuild'
import { thirdPartyNotices } from './build/notices.mjs'
import { sourcesHash, sourcesHashFile } from './build/sources-hash.mjs'
import { startFiles } from './build/start-files.mjs'

const root = join(import.meta.dirname, '..')
const named = process.argv.indexOf('--outdir') + 1
const outdir = named ? resolve(process.argv[named]) : join(root, 'dist')
// Computed before the build: a file that changes during the build must make the build stale.
const hashOfSources = sourcesHash(root)
const staleAfterMs = 7 * 24 * 60 * 60 * 1000

const settings = {
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node20.17',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
}

const started = await startFiles(root, settings)
const split = await build({
  ...settings,
  absWorkingDir: root,
  // Sorted: names of chunks must not depend on the order in which they were found.
  entryPoints: [...started.lazy.keys()].sort(),
  outdir,
  bundle: true,
  splitting: true,
  write: false,
  format: 'esm',
  entryNames: 'chunks/[name]-[hash]',
  chunkNames: 'chunks/[name]-[hash]',
  external: ['*.node'],
  metafile: true,
})
const standIn = await build({
  ...settings,
  absWorkingDir: root,
  entryPoints: ['stand-in/main.ts'],
  outfile: join(outdir, 'stand-in.js'),
  bundle: true,
  write: false,
  format: 'esm',
  metafile: true,
})

const files = new Map([
  [join(outdir, 'package.json'), '{"type":"commonjs"}\n'],
  ...['repo-picker.sh', 'switcher.sh', 'switcher-preview.sh', 'diff-popup.sh', 'mission-shell.sh'].map(
    name => [join(outdir, name), readFileSync(join(root, 'src', 'tmux', name), 'utf8')],
  ),
  [join(outdir, 'for-agents.md'), readFileSync(join(root, 'docs', 'for-agents.md'), 'utf8')],
  [
    join(outdir, 'THIRD-PARTY.txt'),
    thirdPartyNotices(root, {
      ...split.metafile.inputs,
      ...standIn.metafile.inputs,
      ...started.inputs,
    }),
  ],
])
for (const { path, text } of [...split.outputFiles, ...standIn.outputFiles])
  files.set(path, await commonJs(text))
// The start files come last: until then the old ones find the chunks they load.
for (const [path, text] of started.files) files.set(join(outdir, path), await commonJs(withChunkNames(text)))
files.set(join(outdir, sourcesHashFile), hashOfSources)
for (const [path, text] of files) writeAtomically(path, text)
await removeOthers(process.argv.includes('--clean') ? 0 : staleAfterMs)
console.error(`built ${files.size} files into ${relative(process.cwd(), outdir) || outdir}`)

/** Replaces the placeholders of lazy modules with the names of their chunks, which contain a hash. */
function withChunkNames(text) {
  for (const [output, { entryPoint }] of Object.entries(split.metafile.outputs)) {
    const placeholder = entryPoint && started.lazy.get(resolve(root, entryPoint))
    if (placeholder)
      text = text.replaceAll(`/${placeholder}"`, `/${relative(outdir, resolve(root, output))}"`)
  }
  return text
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

/** Keeps recent files of earlier builds: a mission that is still running may load them. */
async function removeOthers(olderThanMs) {
  for (const entry of await readdir(outdir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || files.has(path)) continue
    if (Date.now() - statSync(path).mtimeMs >= olderThanMs) rmSync(path)
  }
}
