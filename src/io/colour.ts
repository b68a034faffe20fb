const codes = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const

export type Style = keyof typeof codes
export type Paint = (style: Style, text: string) => string

/** NO_COLOR overrides the terminal, and FORCE_COLOR overrides both (https://no-color.org, and Node's own rule). */
export function wantsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR) return false
  return isTerminal && env.TERM !== 'dumb'
}

export function paintFor(isTerminal: boolean, env: NodeJS.ProcessEnv): Paint {
  if (!wantsColour(isTerminal, env)) return (_style, text) => text
  return (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`
}
