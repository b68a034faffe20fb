import { describe, expect, test } from 'vitest'
import { placesIn } from '../../src/git-work/review/patch-lines.ts'
import { findAgain, reviewText } from '../../src/git-work/review/review-text.ts'

const places = (...lines: string[]) =>
  placesIn(lines).map(place => (place.line === null ? place.path : `${place.path}:${place.line}`))

describe('the place of each line of a patch', () => {
  test('counts both files, and takes lines of a hunk for code even if they look like a header', () => {
    expect(
      places(
        'diff --git a/x b/x',
        '--- a/x',
        '+++ b/x',
        '@@ -5,3 +7,3 @@ title',
        ' same',
        '--- a/y',
        '+++ b/y',
        '',
        '\\ No newline at end of file',
        '@@ -20 +22,0 @@',
        '-gone',
        'diff --git a/z b/z',
      ),
    ).toEqual(['x', 'x', 'x', 'x', 'x:7', 'x:6', 'x:8', 'x:9', 'x:9', 'x', 'x:20', 'z'])
  })

  test.each([
    [['diff --git a/a b b/a b', 'new file mode 100644', '--- /dev/null', '+++ b/a b\t'], 'a b'],
    [['diff --git a/gone b/gone', '--- a/gone', '+++ /dev/null'], 'gone'],
    [
      [
        'diff --git "a/\\303\\274\\n\\"x" "b/\\303\\274\\n\\"x"',
        '--- "a/\\303\\274\\n\\"x"',
        '+++ "b/\\303\\274\\n\\"x"',
      ],
      'ü\n"x',
    ],
    [
      ['diff --git a/old name b/new', 'similarity index 100%', 'rename from old name', 'rename to new'],
      'new',
    ],
    [['diff --git a/a b.png b/a b.png', 'Binary files a/a b.png and b/a b.png differ'], 'a b.png'],
    [['diff --git a/run b/run', 'old mode 100644', 'new mode 100755'], 'run'],
  ])('%j is %j', (lines, path) => {
    expect(places(...lines)).toEqual(lines.map(() => path))
  })
})

test('of several lines with the same code, the one with the same lines around it is the right one', () => {
  const patch = (...rows: string[]) =>
    reviewText(
      [],
      [
        'diff --git a/x b/x',
        '--- /dev/null',
        '+++ b/x',
        `@@ -0,0 +1,${rows.length} @@`,
        ...rows.map(row => `+${row}`),
      ].join('\n'),
    )
  const before = patch('a', '}', 'b', '}', 'c')
  const index = before.lines.indexOf('+b') + 1
  const around = { above: ['+b', '+}', '+a'], below: ['+c', '', ''] }
  const comment = { text: 'x', place: before.places[index]!, around }
  const after = patch('n', '}', 'n', '}', 'n', 'a', '}', 'b', '}', 'c')
  expect(after.places[findAgain(comment, after)!]).toMatchObject({ line: 9 })
  expect(findAgain(comment, patch('a', 'b', 'c'))).toBeNull()
})
