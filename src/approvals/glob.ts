/**
 * Globs over commands: `*` is any text (spaces and nothing included), `?` one character, `\` makes the
 * next of these literal, and everything is anchored at both ends. A final ` *` also matches when no
 * argument follows: `git *` covers a bare `git`. Case matters.
 */

/** In a text: something only the shell will know. In an allow, only `*` covers it. */
export const unknownText = '\ue000'
/** In a text that may turn out to be something: unknown as well, but without a space. */
export const unknownWord = '\ue002'
/** In a text: white space inside one word, which a space between two words of a pattern must not match. */
export const innerSpace = '\ue001'

const star = Symbol('*')
const one = Symbol('?')
type Token = string | typeof star | typeof one

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = []
  const text = [...pattern.trim().replace(/\s+/g, ' ')]
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1]
    if (text[at] === '\\' && (next === '*' || next === '?' || next === '\\')) {
      tokens.push(next)
      at++
    } else if (text[at] === '*') tokens.push(star)
    else if (text[at] === '?') tokens.push(one)
    else tokens.push(text[at]!)
  }
  return tokens
}

/** Runs pattern and text side by side, keeping every place the pattern can be at. */
function run(tokens: readonly Token[], text: string, unknownIs: 'covered by *' | 'anything'): boolean {
  let places = new Uint8Array(tokens.length + 1)
  let next = new Uint8Array(tokens.length + 1)
  places[0] = 1
  const passStars = (at: Uint8Array) => {
    for (let i = 0; i < tokens.length; i++) if (at[i] && tokens[i] === star) at[i + 1] = 1
  }
  passStars(places)
  for (const char of text) {
    next.fill(0)
    if (char === unknownText && unknownIs === 'anything') {
      next.fill(1, places.indexOf(1))
    } else if (char === unknownWord && unknownIs === 'anything') {
      for (let i = 0; i <= tokens.length; i++)
        if (places[i] || (next[i - 1] && tokens[i - 1] !== ' ')) next[i] = 1
    } else {
      for (let i = 0; i < tokens.length; i++) {
        if (!places[i]) continue
        const token = tokens[i]
        if (token === star) next[i] = 1
        else if (token === char || (token === one && char !== unknownText)) next[i + 1] = 1
      }
      passStars(next)
    }
    ;[places, next] = [next, places]
    if (!places.includes(1)) return false
  }
  return places[tokens.length] === 1
}

function test(pattern: string, text: string, unknownIs: 'covered by *' | 'anything'): boolean {
  const tokens = tokenize(pattern)
  if (run(tokens, text, unknownIs)) return true
  const bare = tokens.at(-1) === star && tokens.at(-2) === ' '
  return bare && run(tokens.slice(0, -2), text, unknownIs)
}

/** Every text this can become matches. */
export function matches(pattern: string, text: string): boolean {
  return test(pattern, text, 'covered by *')
}

/** Some text this can become matches. */
export function couldMatch(pattern: string, text: string): boolean {
  return test(pattern, text, 'anything')
}

/** What a pattern says before its first wildcard. */
export function literalPrefix(pattern: string): string {
  const tokens = tokenize(pattern)
  const end = tokens.findIndex(token => typeof token !== 'string')
  return (end < 0 ? tokens : tokens.slice(0, end)).join('')
}

export function isLiteral(pattern: string): boolean {
  return tokenize(pattern).every(token => typeof token === 'string')
}
