/**
 * Globs over commands. `*` matches any text, including spaces and the empty text; `?` matches one character; `\`
 * makes the next of these literal. A glob must match the whole text, and case matters. A final ` *` also matches if no
 * argument follows: `git *` covers a bare `git`.
 */

/** A placeholder for a value that only the shell will know. For an allow rule, only `*` covers it. */
export const unknownText = '\ue000'
/** A placeholder for white space inside one word. A space between two words of a pattern must not match it. */
export const innerSpace = '\ue001'

const star = Symbol('*')
const anyCharacter = Symbol('?')
type Token = string | typeof star | typeof anyCharacter
type UnknownMeans = 'only covered by *' | 'any text'

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = []
  const text = [...pattern.trim().replace(/\s+/g, ' ')]
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1]
    if (text[at] === '\\' && (next === '*' || next === '?' || next === '\\')) {
      tokens.push(next)
      at++
    } else if (text[at] === '*') tokens.push(star)
    else if (text[at] === '?') tokens.push(anyCharacter)
    else tokens.push(text[at]!)
  }
  return tokens
}

/** Follows all positions in the pattern at once, so the time never grows faster than pattern × text. */
function matchesTokens(tokens: readonly Token[], text: string, unknown: UnknownMeans): boolean {
  let positions = new Uint8Array(tokens.length + 1)
  let next = new Uint8Array(tokens.length + 1)
  positions[0] = 1
  const skipStars = (at: Uint8Array) => {
    for (let i = 0; i < tokens.length; i++) if (at[i] && tokens[i] === star) at[i + 1] = 1
  }
  skipStars(positions)
  for (const char of text) {
    next.fill(0)
    if (char === unknownText && unknown === 'any text') {
      next.fill(1, positions.indexOf(1))
    } else {
      for (let i = 0; i < tokens.length; i++) {
        if (!positions[i]) continue
        const token = tokens[i]
        if (token === star) next[i] = 1
        else if (token === char || (token === anyCharacter && char !== unknownText)) next[i + 1] = 1
      }
      skipStars(next)
    }
    ;[positions, next] = [next, positions]
    if (!positions.includes(1)) return false
  }
  return positions[tokens.length] === 1
}

function test(pattern: string, text: string, unknown: UnknownMeans): boolean {
  const tokens = tokenize(pattern)
  if (matchesTokens(tokens, text, unknown)) return true
  const endsInOptionalArgument = tokens.at(-1) === star && tokens.at(-2) === ' '
  return endsInOptionalArgument && matchesTokens(tokens.slice(0, -2), text, unknown)
}

/** True if the pattern matches for all possible values of the unknown parts. */
export function matches(pattern: string, text: string): boolean {
  return test(pattern, text, 'only covered by *')
}

/** True if the pattern matches for at least one possible value of the unknown parts. */
export function couldMatch(pattern: string, text: string): boolean {
  return test(pattern, text, 'any text')
}

export function isLiteral(pattern: string): boolean {
  return tokenize(pattern).every(token => typeof token === 'string')
}
