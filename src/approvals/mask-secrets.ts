/**
 * Hides anything that looks like a secret before text is shown or stored. Errs on the side of hiding too much.
 *
 * The text comes from Claude, so no pattern may take more than linear time: each starts only at the beginning of a word,
 * or has a bounded length.
 */

const mask = '***'

const secretWord = `(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|api[-_]?key|access[-_]?key|private[-_]?key|auth(?:orization)?(?!or)|session[-_]?key|signature|cookie)`
const wordStart = String.raw`(?<![\w.-])`
const nameWithSecret = String.raw`(?=[\w.-]*${secretWord})[\w.-]+`
const value = String.raw`(?:"[^"\n]*"|'[^'\n]*'|[^\s"'&;|,)}\]]+)`

const keyOfSecret = new RegExp(secretWord, 'i')

const replacements: [RegExp, string][] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, mask],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"]*:)[^\s/@'"]+@/gi, `$1${mask}@`],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@'"]{16,}@/gi, `$1${mask}@`],
  [/\b(bearer|basic|digest|negotiate|token)\s+[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  [new RegExp(String.raw`(["']${nameWithSecret}["']\s*:\s*)${value}`, 'gi'), `$1"${mask}"`],
  [
    new RegExp(
      String.raw`(${wordStart}${nameWithSecret}\s*:\s+)(?!bearer|basic|digest|negotiate|token)[^\s"']+`,
      'gi',
    ),
    `$1${mask}`,
  ],
  [new RegExp(`(${wordStart}${nameWithSecret}=)${value}`, 'gi'), `$1${mask}`],
  [new RegExp(String.raw`(${wordStart}--${nameWithSecret}\s+)(?!-)${value}`, 'gi'), `$1${mask}`],
  [/\b([A-Z][A-Z0-9_]*_KEY=)(?:"[^"\n]*"|'[^'\n]*'|[^\s"';&|]+)/g, `$1${mask}`],
  [/((?:^|\s)(?:-u|--user)[ =]?['"]?[^\s:'"]+:)[^\s'"]+/g, `$1${mask}`],
  [/\b(?:sk|rk|pk)[-_](?:ant|live|test|proj|or|svcacct)?[-_]?[\w-]{16,}/g, mask],
  [
    /\b(?:gh[pousr]|github_pat|glpat|gldt|npm|hf|dop_v1|shpat|shpss|lin_api|pypi|tskey|sntrys)[-_][\w-]{16,}/g,
    mask,
  ],
  [/\bxox[abeoprs]-[\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA|AGPA|AROA|ANPA)[A-Z0-9]{12,}/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
  [/\bSG\.[\w-]{16,}\.[\w-]{16,}/g, mask],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, mask],
]

export function maskSecrets(text: string): string {
  let shown = text
  for (const [pattern, replacement] of replacements) shown = shown.replace(pattern, replacement)
  return shown.replace(/[\w+=-]{24,}(?:\/[\w+=-]+)*/g, word => (looksRandom(word) ? mask : word))
}

/** Masks secrets anywhere in a tool's input, and every string whose key names a secret. */
export function maskInput(input: unknown): unknown {
  if (typeof input === 'string') return maskSecrets(input)
  if (Array.isArray(input)) return input.map(maskInput)
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(
    Object.entries(input).map(([key, item]) => [
      key,
      keyOfSecret.test(key) && typeof item === 'string' ? mask : maskInput(item),
    ]),
  )
}

const commitIdLength = 40

/** Commit ids, UUIDs and long names are not secrets. Random text of the same length is assumed to be one. */
function looksRandom(word: string): boolean {
  if (/^[0-9a-f]+$/i.test(word)) return word.length > commitIdLength
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter(kind => kind.test(word)).length
  const digits = word.replace(/\D/g, '').length
  return kinds === 3 && digits >= 3 && bitsPerCharacter(word) > 3.9
}

function bitsPerCharacter(word: string): number {
  const counts = new Map<string, number>()
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
