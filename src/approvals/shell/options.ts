/** Finds the words of a command that a list of risky options (see programs.ts) speaks of. */

export interface RiskyWord {
  word: string
  /** What a rule may say to mean it. */
  names: string[]
}

export function riskyWords(args: readonly string[], list: string, oneDash = false): RiskyWord[] {
  const risky = list.split(/\s+/).filter(item => item !== '')
  return args.flatMap(arg => {
    const names = risky.filter(item => isMeant(arg, item, oneDash))
    return names.length === 0 ? [] : [{ word: arg, names: [...new Set([...names, optionName(arg), arg])] }]
  })
}

function optionName(arg: string): string {
  return arg.startsWith('--') ? arg.split('=', 1)[0]! : arg
}

function isMeant(arg: string, item: string, oneDash: boolean): boolean {
  if (item.startsWith('--')) return isLongOption(arg, item)
  if (item === '-') return arg === '-'
  if (item.startsWith('-')) return isShortOption(arg, item, oneDash)
  if (/[=.@+]$/.test(item)) return arg.startsWith(item)
  return arg === item
}

/** getopt and git take any unambiguous beginning of a long option. */
function isLongOption(arg: string, item: string): boolean {
  const name = optionName(arg)
  return name.length > 2 && name.startsWith('--') && item.startsWith(name)
}

function isShortOption(arg: string, item: string, oneDash: boolean): boolean {
  if (!arg.startsWith('-') || arg.startsWith('--')) return oneDash && arg.split('=', 1)[0] === `-${item}`
  if (oneDash || item.length > 2)
    return arg === item || arg.startsWith(`${item}=`) || joinedOneDash(arg, item)
  return arg.includes(item.slice(1), 1)
}

/** `-Dname` and `-XX:option` of java, `-ofile` of compilers. */
function joinedOneDash(arg: string, item: string): boolean {
  return /^-(?:D|XX|o|oN|agentlib|agentpath|javaagent)$/.test(item) && arg.startsWith(item)
}
