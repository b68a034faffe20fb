/** Returns the candidate that was most likely meant, or undefined if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return meantWords(word, candidates)[0]
}

const editsPerLetter = 0.3
const mostEdits = 3

/**
 * The candidates that a mistyped word was most likely meant to be; several if they are equally likely. Only typing errors
 * count: a word that is merely similar was meant as something else. An option or setting of which parts were left out,
 * as in `--mode` for `--permission-mode`, is preferred to one that is spelt more alike.
 */
export function meantWords(word: string, candidates: readonly string[]): string[] {
  const whole = /^-|\./.test(word) ? candidates.filter(candidate => hasPartsOf(word, candidate)) : []
  if (whole.length > 0) return whole.length === 1 ? whole : []
  const typed = bare(word)
  const limit = Math.min(mostEdits, Math.max(1, Math.floor(typed.length * editsPerLetter)))
  const ranked = candidates
    .filter(candidate => isNegated(candidate) === isNegated(word))
    .map(candidate => ({ candidate, distance: editDistance(typed, bare(candidate)) }))
    .filter(({ distance }) => distance <= limit)
  const least = Math.min(...ranked.map(({ distance }) => distance))
  return ranked.filter(({ distance }) => distance === least).map(({ candidate }) => candidate)
}

/** Whether the candidate has all parts of the word, in the same order. */
function hasPartsOf(word: string, candidate: string): boolean {
  const wanted = partsOf(word)
  for (const part of partsOf(candidate)) if (part === wanted[0]) wanted.shift()
  return wanted.length === 0
}

function partsOf(word: string): string[] {
  return bare(word).split(/[-._]/)
}

function bare(word: string): string {
  return word.toLowerCase().replace(/^-+/, '')
}

function isNegated(word: string): boolean {
  return /^--?no/.test(word)
}

/** Counts insertions, deletions, substitutions, and swaps of neighbouring letters. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
      }
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
