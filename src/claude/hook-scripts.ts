import { quoteForShell } from '../io/shell-quote.ts'

/** Where hooks leave their events and wait for answers. */
export interface HookTarget {
  /** A directory with one file per event, named after the hook's pid. */
  events: string
  /** The FIFO that wakes the wrapper up. */
  wakeup: string
  /** A directory with one FIFO per hook that waits for an answer, named after the hook's pid. */
  asks: string
  wrapperPid: number
}

export const longestEventBytes = 4 * 1024 * 1024
const mostEvents = 4_000

/**
 * A hook that only reports. It is plain sh: no script file, no Node. Without the FIFO, or if events have piled up unread,
 * it keeps nothing. It uses `command exec`, because a failed plain `exec` ends dash with 2, which Claude reads as
 * "block". The FIFO is written last, when the file is complete.
 */
export function reportingHook({ events, wakeup }: Pick<HookTarget, 'events' | 'wakeup'>): string {
  const [directory, fifo] = [quoteForShell(events), quoteForShell(wakeup)]
  return [
    `umask 077;[ -p ${fifo} ]||exit 0`,
    `set -- ${directory}/*;[ $# -lt ${mostEvents} ]||exit 0`,
    `command exec >${directory}/$$ 2>/dev/null||exit 0`,
    `head -c ${longestEventBytes + 1}`,
    `command exec 1<>${fifo}&&printf .`,
    'exit 0',
  ].join(';')
}

/** A hook that asks while the gate exists, and else only reports. Without an answer Claude goes on. */
export function gatedHook(target: HookTarget, gate: string): string {
  return `if [ ! -e ${quoteForShell(gate)} ];then ${reportingHook(target)};fi\n${askingHook(target)}`
}

/** A hook that answers with a file. */
export function printingHook(path: string): string {
  return `cat ${quoteForShell(path)} 2>/dev/null;exit 0`
}

/** Messages that the wrapper may write to a waiting hook first, instead of an answer. */
export const firstWords = {
  /** An answer will follow, or the pipe will be closed. */
  wait: 'wait',
  /** Print the output that is meant for a missing wrapper. */
  otherwise: 'otherwise',
} as const

export interface Patience {
  /** How long the wrapper may take to write its first message. */
  seconds: number
  /** How much longer the hook waits if the wrapper has opened the FIFO but writes nothing. */
  moreSeconds: number
}

const usualPatience: Patience = { seconds: 5, moreSeconds: 3 }

/**
 * A hook that reports its event and then waits for one line, which becomes its output. `otherwise` is its output if no
 * wrapper answers.
 *
 * It keeps its FIFO open for reading and writing until the wrapper has it open too. From then on the end of the wrapper,
 * even by `kill -9`, ends the wait. A subshell ends the wait for a wrapper that hangs, because not every sh has `read`
 * with a time limit. The hook ends the subshell with SIGUSR1: it traps other signals itself, and a new subshell would
 * lose those until it has reset its traps. The side that removes the FIFO decides.
 */
export function askingHook(
  target: HookTarget,
  otherwise = '',
  { seconds, moreSeconds } = usualPatience,
): string {
  const [events, asks, wakeup] = [target.events, target.asks, target.wakeup].map(quoteForShell)
  const say = otherwise === '' ? '' : `printf '%s\\n' ${quoteForShell(otherwise)};`
  return [
    `umask 077;e=${events}/$$ f=${asks}/$$ r= w=`,
    `g(){ rm -f "$f";${say}exit 0;}`,
    `[ -p ${wakeup} ]&&kill -0 ${target.wrapperPid} 2>/dev/null||g`,
    `trap 'kill -USR1 $w 2>/dev/null&&wait $w;rm -f "$f";exit 0' HUP INT TERM PIPE`,
    `{ mkfifo "$f"&&command exec 4<>"$f" 3<"$f";} 2>/dev/null||f=`,
    `head -c ${longestEventBytes + 1} >"$e" 2>/dev/null||g`,
    `command exec 5<>${wakeup}&&printf . >&5;command exec 5>&-`,
    `[ -n "$f" ]||g`,
    `(trap 'kill -9 $!&&wait $!;exit' USR1;z(){ sleep $1 4>&- & wait $!;}`,
    `z ${seconds};rm "$f"||z ${moreSeconds}`,
    `echo ${firstWords.otherwise} >&4) </dev/null >/dev/null 2>&1 3<&- & w=$!`,
    'IFS= read -r r <&4;kill -USR1 $w 2>/dev/null',
    `[ "$r" = ${firstWords.wait} ]&&{ r=;command exec 4>&-;IFS= read -r r <&3;}`,
    // The subshell holds the FIFO open too: once this hook is gone, an answer must find no reader.
    `[ "$r" = ${firstWords.otherwise} ]&&{ wait $w;g;}`,
    `[ -z "$r" ]||printf '%s\\n' "$r"`,
    'exit 0',
  ].join('\n')
}
