import { quoteForShell } from '../io/shell-quote.ts'

/** Where a hook leaves its event, and which bell it rings then. */
export interface HookTarget {
  events: string
  bell: string
}

export const longestEventBytes = 4 * 1024 * 1024
const mostEvents = 4_000

/**
 * sh alone, no script file, no Node; without a bell, or with nobody reading for long, nothing is kept.
 * `command exec` because a failed plain `exec` ends dash with 2, which Claude reads as "block".
 * The bell is rung last, when the file is whole.
 */
export function hookCommand({ events, bell }: HookTarget): string {
  const [directory, fifo] = [quoteForShell(events), quoteForShell(bell)]
  return [
    `umask 077;[ -p ${fifo} ]||exit 0`,
    `set -- ${directory}/*;[ $# -lt ${mostEvents} ]||exit 0`,
    `command exec >${directory}/$$ 2>/dev/null||exit 0`,
    `head -c ${longestEventBytes + 1}`,
    `command exec 1<>${fifo}&&printf .`,
    'exit 0',
  ].join(';')
}
