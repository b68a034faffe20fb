/** The levels of the colour cube. Colours 16 to 255 are the same in every terminal. */
const levels = [0, 95, 135, 175, 215, 255]

function rgb(colour: number): number[] {
  if (colour < 16 || colour > 255) throw new Error(`a theme decides what colour ${colour} looks like`)
  if (colour >= 232) return Array(3).fill(8 + (colour - 232) * 10)
  const cube = colour - 16
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(step => levels[step]!)
}

function luminance(colour: number): number {
  const [red, green, blue] = rgb(colour).map(value => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** The contrast of two of the 256 colours by WCAG 2: from 1 to 21. */
export function contrast(one: number, other: number): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}
