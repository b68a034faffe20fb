import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'

const entry = resolve(import.meta.dirname, '../../src/stand-in/main.ts')

/** An executable `claude` in the directory: the stand-in, bundled from the sources as they are now. */
export function standInClaude(directory: string): string {
  mkdirSync(directory, { recursive: true })
  const bundle = join(directory, 'stand-in.cjs')
  buildSync({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  })
  const launcher = join(directory, 'claude')
  writeFileSync(launcher, `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(bundle)} "$@"\n`)
  chmodSync(launcher, 0o755)
  return launcher
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
