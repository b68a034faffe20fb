const innermost = /\{([^{},]*(?:,[^{},]*)+)\}/
const maxExpansions = 64

/** `g{it,x} push` → `git push` and `gx push`, joined by spaces as bash would. */
export function expandBraces(text: string): string {
  let done = [text]
  for (;;) {
    const next = done.flatMap(expandOne)
    if (next.length === done.length || next.length > maxExpansions) return done.join(' ')
    done = next
  }
}

function expandOne(text: string): string[] {
  const found = innermost.exec(text)
  if (!found) return [text]
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return found[1]!.split(',').map(choice => before + choice + after)
}
