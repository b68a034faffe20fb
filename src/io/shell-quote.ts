/** Quotes a text as one word of sh, bash or zsh. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Does the same, but leaves a text as it is if it has no meaning to a shell: easier to read for people. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : quoteForShell(text)
}
