// Bundles src/ into CommonJS chunks below dist/, each loaded when its command is named.
// esbuild splits only ES modules, and Node starts CommonJS some 7 ms sooner: so split first, convert after.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, transform } from 'esbuild'

const root = join(import.meta.dirname, '..')
const outdir = join(root, 'dist')

const bundled = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts' },
  outdir,
  bundle: true,
  splitting: true,
  write: false,
  platform: 'node',
  mainFields: ['module', 'main'],
  target: 'node20.17',
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  external: ['*.node'],
  metafile: true,
})

rmSync(outdir, { recursive: true, force: true })
for (const file of bundled.outputFiles) {
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.17',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.filename': '__filename' },
    minifyWhitespace: true,
  })
  mkdirSync(dirname(file.path), { recursive: true })
  writeFileSync(file.path, code)
}
copyFileSync(join(root, 'src', 'tmux', 'switch.sh'), join(outdir, 'switch.sh'))
writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n')
console.log(`built ${bundled.outputFiles.length} files into ${relative(process.cwd(), outdir) || outdir}`)
