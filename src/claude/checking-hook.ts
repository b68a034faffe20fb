import { quoteForShell } from '../io/shell-quote.ts'
import { type AskingTarget, askingHookCommand } from './asking-hook.ts'

export interface CheckingTarget extends AskingTarget {
  /** agenc's settings, in which rules are. */
  settings: string
  /** Settings of which it is known that they deny nothing; not there: nothing is known. */
  undenied: string
}

/**
 * Runs before every use of a tool. While the settings are, byte by byte, the ones known to deny nothing, there
 * is nothing to ask the wrapper; times and sizes would not tell that for sure.
 */
export function checkingHookCommand(target: CheckingTarget, otherwise: string): string {
  const [settings, undenied] = [target.settings, target.undenied].map(quoteForShell)
  return [
    `[ -e ${undenied} ]&&{ [ -e ${settings} ]||[ -L ${settings} ]||exit 0`,
    `cmp -s ${settings} ${undenied} 2>/dev/null&&exit 0;}`,
    askingHookCommand(target, otherwise),
  ].join('\n')
}
