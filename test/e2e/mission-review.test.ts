import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommentJson } from '../../src/git-work/review/review-message.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WorkBox, workBox } from '../helpers/work.ts'

interface ReviewJson {
  mission: string
  path: string | null
  comments: CommentJson[]
}

const numbered = (count: number, change: (row: number) => string = row => `row ${row}\n`) =>
  Array.from({ length: count }, (_, index) => change(index + 1)).join('')

/** A mission that has changed row 10 of 20, and added a file. */
async function changedBox(): Promise<WorkBox> {
  const box = await workBox({ rows: numbered(20) })
  box.write({
    rows: numbered(20, row => (row === 10 ? 'changed 10\n' : `row ${row}\n`)),
    'new ü file': 'one\ntwo\n',
  })
  return box
}

/** An editor that runs this script on the file, whose path is in $1. */
function editor(box: WorkBox, script: string): NodeJS.ProcessEnv {
  const path = join(box.root, 'editor')
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { EDITOR: path }
}

/** Appends lines below the first line that is exactly this one. */
const below = (line: string, ...text: string[]) =>
  `awk -v line='${line}' '{ print } $0 == line && !done++ { ${text.map(row => `print "${row}"`).join('; ')} }' "$1" >"$1.new" && cat "$1.new" >"$1" && rm "$1.new"`

const review = (box: WorkBox, script: string, ...args: string[]) =>
  box.agenc(['mission', 'review', box.id, ...args], { env: editor(box, script) })

function reviewJson(box: WorkBox, script: string, ...args: string[]): ReviewJson {
  const done = review(box, script, '--json', ...args)
  expect(done).toMatchObject({ exitCode: 0 })
  return JSON.parse(done.stdout)
}

const filesOf = (box: WorkBox) =>
  readdirSync(join(box.agencHome, 'missions', box.id)).filter(name => /review|patch/.test(name))

test('comments below lines become one message with file, line and code', async () => {
  const box = await changedBox()
  const script = [
    below('+changed 10', 'Why changed?', '', 'Say more.'),
    below('-row 10', 'Keep this.'),
    below('+two', '- a list', '# of things'),
    below('+++ b/rows', 'About the whole file.'),
    `sed -i '1i In general: fine.' "$1"`,
  ].join('\n')
  const done = review(box, script)
  expect(done.exitCode).toBe(0)
  const path = done.stdout.trim()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const [title, ...sections] = readFileSync(path, 'utf8').split('\n\n')
  expect(title).toMatch(/^Review comments on your changes since (main@)?[0-9a-f]{7}:$/)
  expect(sections.join('\n\n')).toBe(
    [
      '## All changes',
      'In general: fine.',
      '## new ü file:2',
      '> +two',
      '- a list\n# of things',
      '## rows',
      'About the whole file.',
      '## rows:10 (removed)',
      '> -row 10',
      'Keep this.',
      '## rows:10',
      '> +changed 10',
      'Why changed?\n\nSay more.\n',
    ].join('\n\n'),
  )
  expect(filesOf(box)).toEqual(['review-1.md'])
  expect(reviewJson(box, below('@@ -0,0 +1,2 @@', 'Here.'))).toEqual({
    mission: box.id,
    sent: null,
    path: path.replace('review-1', 'review-2'),
    comments: [
      {
        path: 'new ü file',
        line: 1,
        side: 'new',
        code: '+one',
        text: 'Here.',
        moved_from: null,
        gone: false,
      },
    ],
  })
})

describe('nothing is sent', () => {
  test.each([
    ['saved as it was', 'true', 'You wrote no comments.\n'],
    ['saved empty', ': >"$1"', 'You wrote no comments.\n'],
    ['deleted', 'rm "$1"', 'You wrote no comments.\n'],
    ['with blank lines and lines with #', `sed -i '1i\\\\n\\n# note\\n' "$1"`, 'You wrote no comments.\n'],
    ['with blanks cut off at the ends of lines', `sed -i 's/ *$//' "$1"`, 'You wrote no comments.\n'],
    [
      'with an edited line',
      `sed -i 's/^+changed/+edited/' "$1"`,
      'agenc: lines of the diff itself were changed (1). Only lines of your own are comments; the files are as they were.\nYou wrote no comments.\n',
    ],
  ])('%s', async (_, script, stderr) => {
    const box = await changedBox()
    expect(review(box, script)).toEqual({ exitCode: 0, stdout: '', stderr })
    expect(filesOf(box)).toEqual([])
    expect(readFileSync(join(box.directory, 'rows'), 'utf8')).toContain('changed 10')
  })

  test('nothing has changed: the editor is not opened', async () => {
    const box = await workBox()
    const done = review(box, `touch '${box.root}/opened'`)
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('Nothing has changed since'),
    })
    expect(existsSync(join(box.root, 'opened'))).toBe(false)
    expect(filesOf(box)).toEqual([])
  })
})

test('a comment below an edited line is still a comment', async () => {
  const box = await changedBox()
  const { comments } = reviewJson(box, `sed -i 's/^+changed.*/+edited\\nWhy so?/' "$1"`)
  expect(comments).toMatchObject([{ path: 'rows', line: 10, code: '+changed 10', text: 'Why so?' }])
})

test('a review that was not finished is reopened, with its comments at their code', async () => {
  const box = await changedBox()
  const failed = review(box, `${below('+changed 10', 'Why?')}\n${below('+two', 'No.')}\nexit 3`)
  expect(failed.exitCode).toBe(1)
  expect(failed.stderr).toContain("editor failed\nWhat you have written is kept. 'agenc mission review ")
  box.write({
    rows: `${numbered(5, () => 'above\n')}${readFileSync(join(box.directory, 'rows'), 'utf8')}`,
    'new ü file': 'one\n',
  })
  const missing = box.agenc(['mission', 'review', box.id], { env: { EDITOR: join(box.root, 'no-editor') } })
  expect(missing.exitCode).toBe(1)
  expect(missing.stderr).toContain('no-editor is not installed\n')
  const again = review(box, `cp "$1" '${box.root}/seen'\n${below('+above', 'New.')}`)
  expect(again.stderr).toContain('Reopened a review that was not finished, with 2 comments.')
  const seen = readFileSync(join(box.root, 'seen'), 'utf8')
  expect(seen).toContain('\n+changed 10\nWhy?\n')
  expect(seen).toContain('\nnew ü file:2, which has changed since: two\nNo.\n')
  expect(readFileSync(again.stdout.trim(), 'utf8')).toMatch(
    /## All changes\n\nnew ü file:2, which .*\nNo\.\n\n## rows:1\n\n> \+above\n\nNew\.\n\n## rows:15\n\n> \+changed 10\n\nWhy\?\n$/,
  )
  expect(filesOf(box)).toEqual(['review-1.md'])
})

test('a tree that changes while the editor is open: what moved or is gone is marked', async () => {
  const box = await changedBox()
  const rows = join(box.directory, 'rows')
  const script = [
    below('+changed 10', 'Why?'),
    below('+one', 'No.'),
    `{ echo above; cat '${rows}'; } >'${rows}.new' && mv '${rows}.new' '${rows}'`,
    `rm '${box.directory}/new ü file'`,
  ].join('\n')
  const { path, comments } = reviewJson(box, script)
  expect(comments).toMatchObject([
    { path: 'new ü file', line: 1, gone: true, moved_from: null, text: 'No.' },
    { path: 'rows', line: 11, gone: false, moved_from: 10, text: 'Why?' },
  ])
  const message = readFileSync(path!, 'utf8')
  expect(message).toContain('## new ü file:1 (has changed since)')
  expect(message).toContain('## rows:11 (was line 10)')
})

test('a killed agenc loses nothing, and only one review of a mission is open at a time', async () => {
  const box = await changedBox()
  const env = editor(box, `${below('+two', 'No.')}\ntouch '${box.root}/open'\nexec sleep 1000`)
  const terminal = box.terminal(['mission', 'review', box.id], { env })
  await waitFor('the editor', () => existsSync(join(box.root, 'open')))
  const second = review(box, 'true')
  expect(second.exitCode).toBe(1)
  expect(second.stderr).toMatch(/a review of .* is open already\n/)
  terminal.kill('SIGKILL')
  await terminal.exited
  expect(reviewJson(box, 'true').comments).toMatchObject([{ path: 'new ü file', line: 2, text: 'No.' }])
})

test("the user's settings for diffs do not confuse it", async () => {
  const box = await workBox({ 'a.txt': 'one\n\ntwo\n\nthree\n' })
  const settings = [
    'noprefix = true',
    'suppressBlankEmpty = true',
    'renames = copies',
    'orderFile = /nowhere',
  ]
  writeFileSync(
    join(box.home, '.gitconfig'),
    `[diff]\n${settings.join('\n')}\n[color]\nui = always\n[core]\nautocrlf = true\n`,
  )
  box.write({ 'a.txt': 'one\n\nTWO\n\nthree\n', 'diff --git a': '@@ -1 +1 @@\r\n' })
  const { comments } = reviewJson(box, [below('+TWO', 'Why?'), below('+@@ -1 +1 @@', 'And this?')].join('\n'))
  expect(comments).toMatchObject([
    { path: 'a.txt', line: 3, text: 'Why?' },
    { path: 'diff --git a', line: 1, text: 'And this?' },
  ])
})

test('the changes of one turn', async () => {
  const box = await workBox()
  await box.endTurn({ first: 'a\n' })
  await box.endTurn({ second: 'b\n' })
  const script = `! grep first "$1" || exit 9\n${below('+b', 'Hm.')}`
  expect(reviewJson(box, script, '--last').comments).toMatchObject([{ path: 'second', line: 1 }])
})

test('without a terminal it needs an editor', async () => {
  const box = await changedBox()
  const done = box.agenc(['mission', 'review', box.id])
  expect(done.exitCode).toBe(64)
  expect(done.stderr).toContain('mission review needs a terminal\n')
})
