import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wantsColour } from '../../src/io/colour.ts'
import { makePrivateDirectory, writeFileAtomically } from '../../src/io/files.ts'
import { nearest } from '../../src/io/nearest.ts'
import { ago, parseSince } from '../../src/io/relative-time.ts'
import { quoteForShell, shellWord } from '../../src/io/shell-quote.ts'
import { type Column, printTable } from '../../src/io/table.ts'
import { cleanLines, cleanText, padEnd, textWidth, truncate } from '../../src/io/text.ts'
import { editorCommand } from '../../src/io/text-editor.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'

describe('text from other programs', () => {
  test.each([
    ['plain', 'plain'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link', 'link'],
    ['a\r\nb\tc', 'a b c'],
    ['\u009b31mx', '31mx'],
    ['abc\u202edcba', 'abcdcba'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
    ['tag\u{e0041}s', 'tags'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['  עברית ', 'עברית'],
    ['\u001b', ''],
  ])('%j is cleaned to %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean)
  })

  test('no character that moves a cursor survives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(cleanText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        expect(cleanLines(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      }),
    )
  })

  test('truncated text fits, and truncating it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
        const cut = truncate(text, columns)
        expect(textWidth(cut)).toBeLessThanOrEqual(columns)
        expect(truncate(cut, columns)).toBe(cut)
        expect(textWidth(padEnd(cut, columns))).toBeGreaterThanOrEqual(textWidth(cut))
      }),
    )
  })
})

describe('private directories', () => {
  test('parents are made too, and the first one that was made is returned', () => {
    const root = temporaryDirectory()
    const path = join(root, 'a', 'b', 'c')
    expect(makePrivateDirectory(path)).toBe(join(root, 'a'))
    expect(makePrivateDirectory(path)).toBeUndefined()
    for (const made of [path, join(root, 'a')]) expect(statSync(made).mode & 0o777).toBe(0o700)
  })

  test('a file in the way is an error that names it', () => {
    const file = join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    expect(() => makePrivateDirectory(file)).toThrow(`mkdir '${file}'`)
    expect(() => makePrivateDirectory(join(file, 'a', 'b'))).toThrow(`mkdir '${file}'`)
  })
})

function tableLines(columns: readonly Column[], width: number, isTerminal = true): string[] {
  const lines: string[] = []
  const line = (text = '') => void lines.push(text)
  printTable(
    { write: line, line, isTerminal, columns: width, paint: (_style, text) => text, hasReader: () => true },
    columns,
  )
  return lines
}

describe('tables', () => {
  const columns: Column[] = [
    { title: 'ID', cells: ['3f2a91bc'] },
    { title: 'STATE', cells: ['waiting: permission'] },
    { title: 'REPO', cells: ['a-long-owner/a-long-name'], shrinks: true },
    { title: 'NAME', cells: ['a name of many words, and 🚀 then some'], shrinks: true },
    { title: 'ACTIVE', cells: ['3m'] },
  ]

  test('can have any number of rows', () => {
    const cells = Array.from({ length: 200_000 }, (_, row) => String(row))
    expect(tableLines([{ title: 'ROW', cells }], 80)).toHaveLength(200_001)
  })

  test('shrink their widest column first', () => {
    expect(tableLines(columns, 80)).toEqual([
      'ID        STATE                REPO                 NAME                  ACTIVE',
      '3f2a91bc  waiting: permission  a-long-owner/a-lon…  a name of many word…  3m',
    ])
  })

  test('leave out an optional column before they cut another one much', () => {
    const changes: Column = { title: 'CHANGES', cells: ['+120 -8'], isOptional: true }
    const wide = [...columns, changes]
    expect(tableLines(wide, 80)[0]).toContain('CHANGES')
    expect(tableLines(wide, 70)).toEqual(tableLines(columns, 70))
    expect(tableLines(wide, 20, false)[1]).toContain('+120 -8')
  })

  test('keep ids whole in the narrowest terminal, and shorten titles first', () => {
    const window: Column = { title: 'WINDOW', cells: ['@12'] }
    expect(tableLines([...columns.slice(0, 4), window, columns[4]!], 44)).toEqual([
      'ID        STATE         REPO  NAME  WI…  AC…',
      '3f2a91bc  waiting: pe…  a-l…  a n…  @12  3m',
    ])
  })

  test('are not truncated without a terminal', () => {
    expect(tableLines(columns, 40, false)[1]).toContain('🚀 then some')
  })

  test('fit 36 columns and more with any contents', () => {
    const cells = fc.array(fc.string({ unit: 'grapheme' }).map(cleanText), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(cells, fc.integer({ min: 36, max: 300 }), (texts, width) => {
        const all = ['A', 'B', 'C', 'D', 'E'].map((title, index) => ({
          title,
          cells: texts.map(text => text.repeat(index + 1)),
          shrinks: index % 2 === 0,
        }))
        for (const line of tableLines(all, width)) expect(textWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('have no column for values that are all empty', () => {
    expect(tableLines([{ title: '', cells: [''] }, columns[0]!], 80)).toEqual(['ID', '3f2a91bc'])
  })
})

test.each([
  ['lst', ['ls', 'list', 'show'], 'ls'],
  ['hsow', ['ls', 'show'], 'show'],
  ['frobnicate', ['ls', 'show'], undefined],
  ['x', [], undefined],
])('nearest to %s in %j is %s', (word, candidates, found) => {
  expect(nearest(word, candidates)).toBe(found)
})

test.each([
  ['2026-01-01T00:00:00Z', '0s'],
  ['2025-12-31T23:59:01Z', '59s'],
  ['2025-12-31T23:00:00Z', '1h'],
  ['2025-12-29T00:00:00Z', '3d'],
  ['2026-01-01T00:01:00Z', '0s'],
])('%s was %s ago', (time, words) => {
  expect(ago(time, new Date('2026-01-01T00:00:00Z'))).toBe(words)
})

test.each([
  ['90s', '2025-12-31T23:58:30.000Z'],
  ['2h', '2025-12-31T22:00:00.000Z'],
  ['3d', '2025-12-29T00:00:00.000Z'],
  ['2025-01-31', '2025-01-31T00:00:00.000Z'],
])('since %s is since %s', (text, time) => {
  expect(parseSince(text, new Date('2026-01-01T00:00:00Z'))).toBe(time)
})

test.each(['', '3w', 'soon', '99999999999999d'])('%j is not a time', text => {
  expect(() => parseSince(text, new Date())).toThrow(expect.objectContaining({ exitCode: 64 }))
})

test('sh reads every quoted text as one word', () => {
  const texts = ['', 'a b', "it's", "''", '$HOME `id` "x" \\', '#!*?[~', 'a\nb', '-n', 'é🚀']
  const words = [...texts.map(quoteForShell), ...texts.map(shellWord)].join(' ')
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' })
  expect(stdout.split('\0').slice(0, -1)).toEqual([...texts, ...texts])
  expect(shellWord('/usr/bin/a-b_c.d')).toBe('/usr/bin/a-b_c.d')
})

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
])('terminal %s with %j: colours %s', (isTerminal, env, wanted) => {
  expect(wantsColour(isTerminal, env)).toBe(wanted)
})

test.each([
  [{ EDITOR: 'code --wait' }, ['code', '--wait']],
  [{ EDITOR: 'nano', VISUAL: '"/a b/vim" -p \'x y\'' }, ['/a b/vim', '-p', 'x y']],
  [{ EDITOR: '  ' }, ['vi']],
  [{}, ['vi']],
])('the editor command of %j is %j', (env, words) => {
  expect(editorCommand(env)).toEqual(words)
})

describe('files', () => {
  test('are replaced as a whole, with a private mode, and through symbolic links', () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'elsewhere'))
    writeFileSync(join(directory, 'elsewhere', 'target'), 'old')
    symlinkSync('elsewhere/target', join(directory, 'link'))
    writeFileAtomically(join(directory, 'link'), 'new')
    expect(readFileSync(join(directory, 'elsewhere', 'target'), 'utf8')).toBe('new')
    expect(statSync(join(directory, 'link')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(directory, 'elsewhere'))).toEqual(['target'])
  })

  test('a failed write leaves nothing behind', () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'taken'))
    expect(() => writeFileAtomically(join(directory, 'taken'), 'x')).toThrow()
    expect(readdirSync(directory)).toEqual(['taken'])
  })

  test('a write that does not fit on the disk fails, and the old text stays', async () => {
    const directory = temporaryDirectory()
    const [target, script] = [join(directory, 'config'), join(directory, 'write.cjs')]
    writeFileSync(target, 'old')
    await build({
      stdin: {
        contents: `import { writeFileAtomically } from './src/io/files.ts'
          writeFileAtomically(process.argv[2], 'x'.repeat(100_000))`,
        resolveDir: projectRoot,
      },
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    })
    // A limit of 64 blocks per file stands in for a full disk.
    const limited = ['-c', 'ulimit -f 64; exec "$@"', 'sh', process.execPath, script, target]
    const { status, stderr } = spawnSync('/bin/sh', limited, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')])
    expect(readFileSync(target, 'utf8')).toBe('old')
    expect(readdirSync(directory).sort()).toEqual(['config', 'write.cjs'])
  })
})
