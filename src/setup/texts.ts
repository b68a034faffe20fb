import { installationFor, shellOf } from '../cli/completion/shell-scripts.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { wrap } from '../io/text.ts'

export function sayWelcome({ err }: Context): void {
  err.line(err.paint('bold', 'Welcome to agenc.'))
  const lines = [
    'agenc runs many Claude Code agents at once. Each one is a mission with its own tmux window and its own copy of a repo.',
    "A few questions first. Enter takes the default; Ctrl-C changes nothing. 'agenc setup' asks them again.",
  ]
  for (const line of lines.flatMap(text => wrap(text, err.columns))) err.line(line)
}

/** The commands and keys to try next. */
export function nextSteps(
  context: Context,
  { prefix_key, keys }: Config['tmux'],
  prefix: string,
  hasRepo: boolean,
): string[] {
  const press = (name: keyof typeof keys) => `${prefix} ${prefix_key} ${keys[name]}`
  const shell = shellOf(context.env)
  const lacksCompletion = shell !== null && !installationFor(context, shell).isInstalled
  const rows: [string, string][] = [
    ...(hasRepo ? [] : [['agenc repo add owner/name', 'add a repo to the library'] as [string, string]]),
    ['agenc', 'go to the agenc session'],
    [press('new'), 'start a mission there'],
    [press('switch'), 'switch between missions'],
    [press('next'), 'go to a mission that waits for you'],
    [press('help'), 'show all keys'],
    ...(lacksCompletion
      ? [['agenc completion install', 'let Tab complete commands'] as [string, string]]
      : []),
    ['agenc doctor', 'check this machine'],
  ]
  return twoColumns(rows, context.err.columns)
}

const narrowestMeaning = 18

function twoColumns(rows: readonly [string, string][], columns: number): string[] {
  const width = Math.max(...rows.map(([term]) => term.length))
  return columns - width - 4 < narrowestMeaning
    ? rows.flatMap(([term, meaning]) => [`  ${term}`, `    ${meaning}`])
    : rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`)
}
