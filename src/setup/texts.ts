import { installationFor } from '../cli/completion/install-script.ts'
import { shellOf } from '../cli/completion/shells.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { wrap } from '../io/text.ts'

export function sayWelcome({ err }: Context): void {
  err.line(err.paint('bold', 'Welcome to agenc.'))
  const lines = [
    'It runs many Claude Code agents at once. Each is a mission, with a tmux window and a copy of a repo to itself.',
    'A few questions first: Enter takes the default, Ctrl-C leaves everything as it is. Later: agenc setup.',
  ]
  for (const line of lines.flatMap(text => wrap(text, err.columns))) err.line(line)
}

/** What to type and to press from here. */
export function nextSteps(
  context: Context,
  { prefix_key, keys }: Config['tmux'],
  prefix: string,
  hasRepo: boolean,
): string[] {
  const press = (name: keyof typeof keys) => `${prefix} ${prefix_key} ${keys[name]}`
  const shell = shellOf(context.env)
  const lacksCompletion = shell !== null && !installationFor(context, shell).isThere
  const rows: [string, string][] = [
    ...(hasRepo ? [] : [['agenc repo add owner/name', 'put a repo into the library'] as [string, string]]),
    ['agenc', 'go to the agenc session'],
    [press('new'), 'there: start a mission'],
    [press('switch'), 'switch between missions'],
    [press('next'), 'go to the one that waits for you'],
    [press('help'), 'all keys'],
    ...(lacksCompletion ? [['agenc completion install', 'Tab completes'] as [string, string]] : []),
    ['agenc doctor', 'what could be better here'],
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
