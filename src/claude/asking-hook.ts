import { type HookTarget, longestEventBytes, quoted } from './hook-command.ts'

/** Where a hook that wants an answer waits for it, and who gives it. */
export interface AskingTarget extends HookTarget {
  /** A FIFO a hook, named by its pid, as its event is. */
  asks: string
  wrapperPid: number
}

/** What the wrapper may say to a hook first, in place of an answer. */
export const words = {
  /** There will be an answer, or the end of the pipe. */
  wait: 'wait',
  /** Say what you would say without a wrapper. */
  otherwise: 'otherwise',
} as const

/**
 * Tells of its event as every hook does, then waits for one line, which becomes its own output.
 * It holds its FIFO open both ways until the wrapper has it too: from then on the wrapper's end, even by
 * `kill -9`, ends the waiting. `otherwise` is what it says where no wrapper can be asked.
 */
export function askingHookCommand(target: AskingTarget, otherwise = ''): string {
  const [events, asks, bell] = [target.events, target.asks, target.bell].map(quoted)
  const giveUp = otherwise === '' ? 'exit 0' : `{ printf '%s\\n' ${quoted(otherwise)};exit 0;}`
  return [
    `umask 077;e=${events}/$$ f=${asks}/$$ r=`,
    `[ -p ${bell} ]&&kill -0 ${target.wrapperPid} 2>/dev/null||${giveUp}`,
    `trap 'rm -f "$f";exit 0' HUP INT TERM PIPE`,
    `{ mkfifo "$f"&&command exec 4<>"$f" 3<"$f";} 2>/dev/null||f=`,
    `head -c ${longestEventBytes + 1} >"$e" 2>/dev/null||${giveUp}`,
    `command exec 5<>${bell}&&printf . >&5;command exec 5>&-`,
    `[ -n "$f" ]||${giveUp}`,
    'IFS= read -r r <&4',
    `[ "$r" = ${words.wait} ]&&{ r=;command exec 4>&-;IFS= read -r r <&3;}`,
    `[ "$r" = ${words.otherwise} ]&&${giveUp}`,
    `[ -z "$r" ]||printf '%s\\n' "$r"`,
    'exit 0',
  ].join('\n')
}
