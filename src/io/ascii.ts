/** A locale that was chosen and has no UTF-8. Where none is set, terminals of today can be trusted. */
export function lacksUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale)
}

const likenesses: Record<string, string> = {
  '…': '.',
  '•': '*',
  '·': '*',
  '─': '-',
  '→': '>',
  '↑': '^',
  '↓': 'v',
  '⏎': 'Enter',
  '✔': 'v',
  '✖': 'x',
  '✘': 'x',
  '❯': '>',
  '◉': '*',
  '◯': 'o',
  '“': '"',
  '”': '"',
  '’': "'",
}

/** Each character by one that a terminal without UTF-8 can draw; what only decorates another one is left out. */
export function toAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]/gu, character => {
    return likenesses[character] ?? (/[\p{M}\p{Cf}]/u.test(character) ? '' : '?')
  })
}
