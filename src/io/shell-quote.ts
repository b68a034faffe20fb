/** Quotes text as one word for sh, in which nothing is expanded. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
