const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]+/g
/** Marks that reorder or hide text: they let one name look like another. Emoji need the joiner U+200D. */
const invisibleCharacters =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Text from users, repos, Claude or tmux, made safe for one line of a terminal. */
export function cleanText(text: string): string {
  return cleaned(text).trim()
}

/** The same for several lines, which keep their indentation. */
export function cleanLines(text: string): string {
  return text
    .split('\n')
    .map(line => cleaned(line).trimEnd())
    .join('\n')
}

const plain = /^[ -~]*$/

function cleaned(text: string): string {
  if (plain.test(text)) return text
  return text.replace(escapeSequences, '').replace(controlCharacters, ' ').replace(invisibleCharacters, '')
}
