/** Programs whose arguments are programs: these few forms cannot run or write anything. */

const address = String.raw`(?:\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/)`
const range = String.raw`(?:${address}(?:,\s*${address})?\s*!?\s*)?`
const plain = '[pdq=]'
const substitute = String.raw`s([/|,#:@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*`
const harmlessSed = new RegExp(String.raw`^\s*${range}(?:${plain}|${substitute})\s*;?\s*$`)

/** The words of a sed command that may hold `e`, `w` or something not understood. */
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

/** awk can run, write and read by words that no option announces. */
export function riskyAwkScripts(args: readonly string[]): string[] {
  return args.filter(arg => /system|getline|[|>@]/.test(arg))
}

const plainConversions = /%%|%-?\d*(?:\.\d+)?[sbqc]/g

/** Where these builtins expect a number, zsh evaluates what it gets, `path[$(…)]` and names of variables included. */
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
