import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { quoteForShell } from '../../src/io/shell-quote.ts'

const program = resolve(import.meta.dirname, '../../dist/stand-in.js')

/** Creates an executable `claude` in the directory. It runs the stand-in as last built into dist/. */
export function standInClaude(directory: string): string {
  mkdirSync(directory, { recursive: true })
  const launcher = join(directory, 'claude')
  writeFileSync(
    launcher,
    `#!/bin/sh\nexec ${quoteForShell(process.execPath)} ${quoteForShell(program)} "$@"\n`,
  )
  chmodSync(launcher, 0o755)
  return launcher
}
