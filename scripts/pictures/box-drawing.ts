interface Size {
  width: number
  height: number
}

/** To which sides a character reaches from its middle: left, right, up, down. */
const arms: Record<string, string> = {
  '─': 'lr',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'ld',
  '└': 'ru',
  '┘': 'lu',
  '╭': 'rd',
  '╮': 'ld',
  '╰': 'ru',
  '╯': 'lu',
  '⎿': 'ru',
}

/** A line of one pixel lies between two where its place is a whole number. */
const sharp = 0.5

/** Characters that have to touch their neighbours, which no font does at every line height. */
export function isBoxDrawing(text: string): boolean {
  return text !== '' && [...text].every(character => character in arms)
}

export function boxPath(text: string, left: number, top: number, { width, height }: Size): string {
  if (/^─+$/.test(text)) return `M${left} ${top + height / 2 + sharp}h${text.length * width}`
  return [...text]
    .map((character, index) => drawn(character, left + index * width, top, { width, height }))
    .join('')
}

function drawn(character: string, left: number, top: number, { width, height }: Size): string {
  const [x, y] = [left + width / 2 + sharp, top + height / 2 + sharp]
  const ends: Record<string, string> = {
    l: `H${left}`,
    r: `H${left + width}`,
    u: `V${top}`,
    d: `V${top + height}`,
  }
  return [...arms[character]!].map(arm => `M${x} ${y}${ends[arm]}`).join('')
}
