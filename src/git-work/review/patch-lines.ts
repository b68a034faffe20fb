/** A line of code in a patch. */
export interface CodeLine {
  path: string
  /** Its number in the new file. For a removed line, its number in the old file. */
  line: number
  isRemoved: boolean
  /** The line with its sign: `+`, `-` or a space. */
  code: string
}

/** A line of a patch, as a place for a comment. A line without code stands for its file. */
export type PatchLine = CodeLine | { path: string; line: null }

export function isCode(place: PatchLine | null | undefined): place is CodeLine {
  return typeof place?.line === 'number'
}

/** Says for every line of a patch by git where in which file it is. */
export function placesIn(lines: readonly string[]): PatchLine[] {
  const places: PatchLine[] = []
  let path = ''
  let left = { old: 0, new: 0 }
  let next = { old: 0, new: 0 }
  for (const [index, text] of lines.entries()) {
    const sign = text[0] ?? ' '
    if (left.old + left.new > 0 && '+- '.includes(sign)) {
      const isRemoved = sign === '-'
      places.push({ path, line: isRemoved ? next.old : next.new, isRemoved, code: text })
      const inOld = sign === '+' ? 0 : 1
      const inNew = isRemoved ? 0 : 1
      next = { old: next.old + inOld, new: next.new + inNew }
      left = { old: left.old - inOld, new: left.new - inNew }
      continue
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
    if (hunk) {
      next = { old: Number(hunk[1]), new: Number(hunk[3]) }
      left = { old: Number(hunk[2] ?? 1), new: Number(hunk[4] ?? 1) }
    } else if (text.startsWith('diff --git ')) path = pathOf(lines, index)
    // A comment on `\ No newline at end of file` is about the line above it.
    const above = places.at(-1)
    places.push(text.startsWith('\\') && isCode(above) ? above : { path, line: null })
  }
  return places
}

/** The path of the file whose part of the patch begins at this line. */
function pathOf(lines: readonly string[], start: number): string {
  const end = lines.findIndex((text, index) => index > start && /^(@@ |diff --git )/.test(text))
  const head = lines.slice(start + 1, end === -1 ? undefined : end)
  const named = (prefix: string) => head.find(text => text.startsWith(prefix))?.slice(prefix.length)
  const names = [
    ...[named('+++ '), named('--- ')].map(name => withoutPrefix(name)),
    unquoted(named('rename to ')),
    sameNameTwice(lines[start]!.slice('diff --git '.length)),
  ]
  return names.find(name => name !== undefined) ?? ''
}

function withoutPrefix(name: string | undefined): string | undefined {
  const path = unquoted(name)
  return path === undefined || path === '/dev/null' ? undefined : path.slice('a/'.length)
}

/** The line `diff --git a/x b/x`, in which spaces are not quoted. Both names are the same, unless the file was renamed. */
function sameNameTwice(names: string): string | undefined {
  const half = names.slice(0, (names.length - 1) / 2)
  return withoutPrefix(half)
}

const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** git writes a name with special characters like a string in C, and a tab after a name with spaces. */
function unquoted(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const text = name.replace(/[\t\r]+$/, '')
  if (!/^".*"$/.test(text)) return text
  const bytes = [...text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].flatMap(
    ([, octal, letter, plain]) => {
      if (octal !== undefined) return [Number.parseInt(octal, 8)]
      if (letter !== undefined) return [escapes[letter] ?? letter.charCodeAt(0)]
      return [...Buffer.from(plain!)]
    },
  )
  return Buffer.from(bytes).toString()
}
