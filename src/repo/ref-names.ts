const longestPartBytes = 240

/** Whether git takes this as the name of a branch or a tag. The same rules as `git check-ref-format`. */
export function isRefName(text: string): boolean {
  const parts = text.split('/')
  return (
    !/[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\.$|^-/u.test(text) &&
    text !== '@' &&
    text !== 'HEAD' &&
    parts.every(isRefPart)
  )
}

function isRefPart(part: string): boolean {
  return (
    part !== '' &&
    !part.startsWith('.') &&
    !part.endsWith('.lock') &&
    Buffer.byteLength(part) <= longestPartBytes
  )
}

const longestName = 60

/** Turns any text into one part of a branch's name. Letters of all scripts stay. Empty if nothing is left. */
export function refPartFrom(text: string): string {
  const plain = text
    .normalize('NFC')
    // Quotes, brackets and the like are allowed by git, but a shell would take them for something else.
    .replace(/[\p{Z}\p{C}\s!-*,/:-@[-^`{-~]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
  return [...plain]
    .slice(0, longestName)
    .join('')
    .replace(/\.lock$/i, '')
    .replace(/^[-.]+|[-.]+$/g, '')
}
