const longestText = 20_000

/** A tool's input for the record: the content of a large file is not worth keeping twice. */
export function shortened(input: unknown): unknown {
  if (typeof input === 'string') {
    const rest = input.length - longestText
    return rest > 0 ? `${input.slice(0, longestText)}… and ${rest} characters more` : input
  }
  if (Array.isArray(input)) return input.map(shortened)
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(Object.entries(input).map(([key, item]) => [key, shortened(item)]))
}
