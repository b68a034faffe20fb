/** Quotes a text as one word of sh, bash or zsh. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Like `quoteForShell`, but adds no quotes if none are needed. Easier to read for people. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoteForShell(text)
}
