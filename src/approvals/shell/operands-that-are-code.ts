/** Operands that a program reads as instructions. Each check accepts a few common forms and nothing else. */

import { setOf } from './shell-command.ts'

/** A bracket expression must not contain the delimiter, since versions of sed disagree about what it then means. */
function delimited(delimiter: string): string {
  return String.raw`(?:\\[^\n]|\[\^?\]?(?:(?!${delimiter})[^\]\\\n])*\]|(?!${delimiter})[^\\\n[])*`
}
const address = String.raw`(?:\d+|\$|\/${delimited('/')}\/)`
const range = String.raw`(?:${address}(?:,\s*(?:${address}|\+\d+))?\s*!?\s*)?`
const replacement = String.raw`(?:(?!\k<d>)[^\\\n]|\\[^\n])*`
const substitute = String.raw`s(?<d>[/|,#:@])${delimited(String.raw`\k<d>`)}\k<d>${replacement}\k<d>[gpiI\d]*`
const sedCommand = new RegExp(String.raw`^\s*${range}(?:[pdq=]|${substitute})\s*(?:[;\n]|$)`)
const maxSedCommands = 20

export function isHarmlessSed([first = '']: readonly string[], values: ReadonlyMap<string, string>): boolean {
  return values.size > 0 ? [...values.values()].every(isHarmlessScript) : isHarmlessScript(first)
}

/** True if the script only prints, deletes and replaces text. `e` and `w` run commands and write files. */
function isHarmlessScript(script: string): boolean {
  let rest = script
  for (let count = 0; count < maxSedCommands; count++) {
    const length = sedCommand.exec(rest)?.[0].length ?? 0
    if (length === 0) return false
    rest = rest.slice(length)
    if (rest === '') return true
  }
  return false
}

/** awk runs programs with `system`, `|` and `getline`, loads code with `@`, and writes with `>`. */
export function isHarmlessAwk([script = '']: readonly string[]): boolean {
  const isPlain = /^[\w\s$(){}[\],;:.=!<>+*%~&|?"'/^#\\-]+$/.test(script)
  return isPlain && !/\{[\s\S]*>|system|getline|(?<!\|)\|(?!\|)|\|{3}/.test(script)
}

const findTests = setOf(`
  -name -iname -path -ipath -wholename -regex -iregex -regextype -type -maxdepth -mindepth -size -mtime -mmin -atime -amin
  -ctime -cmin -newer -perm -user -group -printf`)
const findFlags = setOf(`
  -L -H -P -print -print0 -empty -prune -o -or -a -and -not ! ( ) -depth -xdev -mount -readable -writable -executable
  -follow -true -false -ls -quit`)

/** Paths, then tests that neither run, delete nor write. */
export function isHarmlessFind(operands: readonly string[]): boolean {
  const start = operands.findIndex(operand => /^[-!(),]/.test(operand))
  const expression = start < 0 ? [] : operands.slice(start)
  for (let at = 0; at < expression.length; at++) {
    if (findTests.has(expression[at]!)) at++
    else if (!findFlags.has(expression[at]!)) return false
  }
  return true
}

const plainText = /^[\w./ :@%+,=-]*$/

/** `-v` and comparisons of numbers evaluate what they are given. */
export function isHarmlessTest(operands: readonly string[]): boolean {
  const [first = '', second = '', third, ...more] = operands.at(-1) === ']' ? operands.slice(0, -1) : operands
  if (more.length > 0 || !operands.every(operand => operand === ']' || plainText.test(operand))) return false
  if (third !== undefined) return !first.startsWith('-') && /^!?=$/.test(second)
  return /^-[defhLnrswxz]$/.test(first)
}

/** Where printf expects a number, zsh evaluates the argument. `\u0025` is a `%` for zsh. */
export function isHarmlessPrintf([format = '-', ...values]: readonly string[]): boolean {
  const isText = /^[\p{ASCII}\p{L}\p{P}\p{S}]*$/u.test(format) && /^(?:[^\\]|\\[nrt\\])*$/.test(format)
  if (format.startsWith('-') || !isText) return false
  const takesNumbers = format.replace(/%%|%-?\d*(?:\.\d+)?[sbqc]/g, '').includes('%')
  return !takesNumbers || values.every(value => /^\d*$/.test(value))
}
