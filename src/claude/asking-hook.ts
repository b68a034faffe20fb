import { quoteForShell } from '../io/shell-quote.ts'
import { type HookTarget, longestEventBytes } from './hook-command.ts'

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

export interface Patience {
  /** So long may a wrapper take to say its first word. */
  seconds: number
  /** So much longer when it has taken the question, and only then hangs. */
  moreSeconds: number
}

const usualPatience: Patience = { seconds: 5, moreSeconds: 3 }

/**
 * Tells of its event as every hook does, then waits for one line, which becomes its own output.
 * It holds its FIFO open both ways until the wrapper has it too: from then on the wrapper's end, even by
 * `kill -9`, ends the waiting. `otherwise` is what it says where no wrapper answers; a wrapper that hangs is
 * given up by a subshell, since `read` has no time limit in every sh; it is ended by a signal that the hook itself
 * does not trap, since others are lost until a new subshell has let go of them. Who removes the FIFO has the word.
 */
export function askingHookCommand(
  target: AskingTarget,
  otherwise = '',
  { seconds, moreSeconds } = usualPatience,
): string {
  const [events, asks, bell] = [target.events, target.asks, target.bell].map(quoteForShell)
  const say = otherwise === '' ? '' : `printf '%s\\n' ${quoteForShell(otherwise)};`
  return [
    `umask 077;e=${events}/$$ f=${asks}/$$ r= w=`,
    `g(){ rm -f "$f";${say}exit 0;}`,
    `[ -p ${bell} ]&&kill -0 ${target.wrapperPid} 2>/dev/null||g`,
    `trap 'kill -USR1 $w 2>/dev/null&&wait $w;rm -f "$f";exit 0' HUP INT TERM PIPE`,
    `{ mkfifo "$f"&&command exec 4<>"$f" 3<"$f";} 2>/dev/null||f=`,
    `head -c ${longestEventBytes + 1} >"$e" 2>/dev/null||g`,
    `command exec 5<>${bell}&&printf . >&5;command exec 5>&-`,
    `[ -n "$f" ]||g`,
    `(trap 'kill -9 $!&&wait $!;exit' USR1;z(){ sleep $1 4>&- & wait $!;}`,
    `z ${seconds};rm "$f"||z ${moreSeconds}`,
    `echo ${words.otherwise} >&4) </dev/null >/dev/null 2>&1 3<&- & w=$!`,
    'IFS= read -r r <&4;kill -USR1 $w 2>/dev/null',
    `[ "$r" = ${words.wait} ]&&{ r=;command exec 4>&-;IFS= read -r r <&3;}`,
    `[ "$r" = ${words.otherwise} ]&&g`,
    `[ -z "$r" ]||printf '%s\\n' "$r"`,
    'exit 0',
  ].join('\n')
}
