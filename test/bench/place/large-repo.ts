import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Box } from './box.ts'

const filesPerDirectory = 100
const filler = 'All work and no play makes a dull repository.\n'.repeat(40)

/** A bare repo as the library holds them: one commit, one pack. */
export function makeLargeRepo(box: Box, files: number): string {
  const repo = join(box.root, 'large.git')
  const git = (args: string[], input = '') =>
    execFileSync('git', args, { env: box.env, input, stdio: ['pipe', 'ignore', 'inherit'] })
  git(['init', '--quiet', '--bare', '--initial-branch=main', repo])
  git(['-C', repo, 'fast-import', '--quiet'], fastImport(files))
  return repo
}

function fastImport(files: number): string {
  const commit = 'commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\n'
  return [commit, data('all of it'), ...Array.from({ length: files }, (_, index) => file(index))].join('')
}

function file(index: number): string {
  const directory = String(Math.floor(index / filesPerDirectory)).padStart(4, '0')
  return `M 100644 inline ${directory}/${index}.txt\n${data(`${index}\n${filler}`)}`
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}
