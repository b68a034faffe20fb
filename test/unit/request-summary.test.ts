import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requestSummary } from '../../src/approvals/request-summary.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const dir = '/home/me/.agenc/missions/3f2a/agent'

test.each([
  [`${dir}/src/a.ts`, 'src/a.ts'],
  [dir, '.'],
  [`${dir}/../../other/secret`, '../../other/secret'],
  [`${dir}-else/a.ts`, `${dir}-else/a.ts`],
  ['/etc/passwd', '/etc/passwd'],
])('the path %s is shown as %s', (path, shown) => {
  expect(requestSummary('Write', { file_path: path, content: '' }, dir)).toBe(shown)
})

test.each([
  [`touch ${dir}/x`, 'touch ./x'],
  [`cd ${dir} && npm test`, 'cd . && npm test'],
  [`rm -rf ${dir}/`, 'rm -rf ./'],
  [`cat "${dir}/a b" '${dir}'`, `cat "./a b" '.'`],
  [`cp ${dir}/a ${dir}/b`, 'cp ./a ./b'],
  [`OUT=${dir}/x make`, 'OUT=./x make'],
  [`rm -rf /mnt${dir}/x`, `rm -rf /mnt${dir}/x`],
  [`ls ${dir}2/x`, `ls ${dir}2/x`],
  ['git status', 'git status'],
])('the command %s is shown as %s', (command, shown) => {
  expect(requestSummary('Bash', { command }, dir)).toBe(shown)
})

test('a directory behind a link is recognised by either path', () => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'real'))
  symlinkSync('real', join(root, 'link'))
  for (const name of ['real', 'link'])
    expect(requestSummary('Read', { file_path: join(root, name, 'a') }, join(root, 'link'))).toBe('a')
})
