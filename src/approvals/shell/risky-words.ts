export interface RiskyWord {
  word: string
  /** A rule names the word by containing one of these. */
  names: string[]
}

/** Finds the arguments that are in a list of risky options; known-programs.ts explains the notation. */
export function riskyWords(args: readonly string[], list: string, oneDash = false): RiskyWord[] {
  const risky = list.split(/\s+/).filter(item => item !== '')
  return args.flatMap(arg => {
    const names = risky.filter(item => isListed(arg, item, oneDash))
    return names.length === 0 ? [] : [{ word: arg, names: [...new Set([...names, optionName(arg), arg])] }]
  })
}

function optionName(arg: string): string {
  return arg.startsWith('--') ? arg.split('=', 1)[0]! : arg
}

function isListed(arg: string, item: string, oneDash: boolean): boolean {
  if (item.startsWith('--')) return isLongOption(arg, item)
  if (item === '-') return arg === '-'
  if (item.startsWith('-')) return isShortOption(arg, item, oneDash)
  if (/[=.@+]$/.test(item)) return arg.startsWith(item)
  return arg === item
}

/** getopt and git accept any unambiguous abbreviation of a long option. */
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

/** The arguments of sed are programs. Only these few forms are known not to run or write anything. */
const address = String.raw`(?:\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/)`
const range = String.raw`(?:${address}(?:,\s*${address})?\s*!?\s*)?`
const plain = '[pdq=]'
const substitute = String.raw`s([/|,#:@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*`
const harmlessSed = new RegExp(String.raw`^\s*${range}(?:${plain}|${substitute})\s*;?\s*$`)

/** Finds the sed scripts that may contain `e`, `w` or syntax that is not understood. */
export function riskySedScripts(args: readonly string[]): string[] {
  const scripts: string[] = []
  let given = false
  args.forEach((arg, at) => {
    const joined = /^(?:-[nErsuz]*e|--expression=)(.*)$/s.exec(arg)
    if (!joined) return
    given = true
    scripts.push(joined[1] || (args[at + 1] ?? ''))
  })
  const first = args.find(arg => !arg.startsWith('-'))
  if (!given && first !== undefined) scripts.push(first)
  return scripts.filter(script => !harmlessSed.test(script))
}

/** Finds the awk scripts that may run programs, or write or read files. */
export function riskyAwkScripts(args: readonly string[]): string[] {
  return args.filter(arg => /system|getline|[|>@]/.test(arg))
}

const plainConversions = /%%|%-?\d*(?:\.\d+)?[sbqc]/g

/** Where these builtins expect a number, zsh evaluates the argument, even `path[$(…)]` and names of variables. */
export function riskyNumbers(program: string, args: readonly string[]): string[] {
  const isNumber = (arg: string) => /^[-+]?[\d.]*$/.test(arg)
  switch (program) {
    case 'printf': {
      const at = args[0] === '--' ? 1 : 0
      const takesNumbers = args[at]?.replace(plainConversions, '').includes('%')
      return takesNumbers ? args.slice(at + 1).filter(arg => !isNumber(arg)) : []
    }
    case 'test':
      return args.filter((arg, at) => args[at - 1] === '-t' && arg !== ']' && !isNumber(arg))
    case 'exit':
    case 'return':
    case 'break':
    case 'continue':
    case 'shift':
      return args.filter(arg => !isNumber(arg))
    default:
      return []
  }
}
