type Colour = readonly [number, number, number]

const colours = {
  brand: [215, 119, 87],
  quiet: [153, 153, 153],
  rule: [136, 136, 136],
  choice: [177, 185, 249],
  warning: [255, 193, 7],
  error: [255, 107, 128],
} as const satisfies Record<string, Colour>

export function tint(colour: keyof typeof colours, text: string): string {
  return `\u001b[38;2;${colours[colour].join(';')}m${text}\u001b[39m`
}

export const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`
export const inverse = (text: string): string => `\u001b[7m${text}\u001b[27m`
export const shaded = (text: string): string => `\u001b[48;2;55;55;55m${text}\u001b[49m`
