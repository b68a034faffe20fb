import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../../../src/io/shell-quote.ts'
import { projectRoot, type Sandbox } from '../../helpers/cli.ts'

export type Kind = 'slow' | 'ignore' | 'fail' | 'flood' | 'deaf'

/** Control over the stand-in of a sandbox. stand-in-kinds.cjs describes the kinds. */
export interface ClaudeKinds {
  /** How Claude starts from now on. With a name, only the mission of that name. */
  become(kind: Kind, name?: string): void
  /** Lets slow Claudes start. */
  go(): void
  /** Lets Claudes end that ignored their signals. */
  letGo(): void
  /** From now on, Claude behaves. */
  behave(): void
}

/** Replaces the sandbox's `claude` by a stand-in that can be told to misbehave. */
export function claudeKinds(box: Sandbox): ClaudeKinds {
  const directory = join(box.root, 'kinds')
  const launcher = join(box.root, 'bin', 'claude')
  const preload = join(import.meta.dirname, 'stand-in-kinds.cjs')
  const command = [process.execPath, '-r', preload, join(projectRoot, 'dist', 'stand-in.js')]
  mkdirSync(directory)
  rmSync(launcher, { force: true })
  const words = command.map(quoteForShell).join(' ')
  writeFileSync(launcher, `#!/bin/sh\nSTAND_IN_FAULTS=${quoteForShell(directory)} exec ${words} "$@"\n`)
  chmodSync(launcher, 0o755)
  const put = (file: string, text = '') => writeFileSync(join(directory, file), text)
  return {
    become: (kind, name) => put(name === undefined ? 'kind' : `kind.${name}`, kind),
    go: () => put('go'),
    letGo: () => put('let-go'),
    behave: () => {
      rmSync(directory, { recursive: true })
      mkdirSync(directory)
      put('go')
      put('let-go')
    },
  }
}
