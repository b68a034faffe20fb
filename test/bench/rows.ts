export type Unit = 'ms' | 'MiB'

/** One line of the table: what is measured, and how much it may cost compared with the floor. */
export interface Row {
  name: RowName
  what: string
  /** Null if there is nothing to compare with. */
  floor: string | null
  /** A multiple of the floor. Null if the ratio has no limit. */
  atMost: number | null
  unit: Unit
  rounds: number
}

export type RowName = (typeof names)[number]

const names = [
  'ls-10',
  'ls-1000',
  'help',
  'mission-help',
  'switch-picker',
  'new-picker',
  'hook',
  'new-mission',
  'working-copy',
  'checkpoint',
  'diff-stat',
  'print',
  'resume',
  'wait',
  'send',
  'idle',
  'memory',
  'growth-status',
  'growth-ls',
  'growth-switch',
  'kill',
  'install',
] as const

const emptyNode = 'an empty Node script'
const tenMissions = 'the same with 10 missions'

/** On a file system with copy-on-write, a working copy does not have to write its files at all. */
export const workingCopyAtMost = { copyOnWrite: 0.5, otherwise: 1.2 }

const table: Record<RowName, Omit<Row, 'name' | 'unit'> & { unit?: Unit }> = {
  'ls-10': {
    what: '`agenc mission ls --json`, 10 missions, none running',
    floor: emptyNode,
    atMost: 1.5,
    rounds: 25,
  },
  'ls-1000': {
    what: '`agenc mission ls --json`, 1,000 missions, 20 running',
    floor: 'a plain script that opens the same store, asks tmux once and prints the same text',
    atMost: 1.25,
    rounds: 25,
  },
  help: { what: '`agenc --help`', floor: emptyNode, atMost: 1.5, rounds: 25 },
  'mission-help': { what: '`agenc mission --help`', floor: emptyNode, atMost: 1.5, rounds: 25 },
  'switch-picker': {
    what: 'key press → switcher readable, 100 mission windows',
    floor: 'key press → `display-popup -E` with `tmux list-windows` piped to fzf',
    atMost: 1.3,
    rounds: 25,
  },
  'new-picker': {
    what: 'key press → repo picker readable, 200 repos',
    floor: 'key press → `display-popup -E` with `ls` piped to fzf',
    atMost: 1.3,
    rounds: 25,
  },
  hook: {
    what: 'one hook event, from Claude to the store',
    floor: "`sh -c 'cat >/dev/null'`",
    atMost: 2,
    rounds: 60,
  },
  'new-mission': {
    what: "`agenc mission new --blank --no-focus` inside the session → Claude's process starts",
    floor: 'an empty Node script, then `tmux new-window` with an empty Node script that starts it',
    atMost: 1.7,
    rounds: 15,
  },
  'working-copy': {
    what: 'working copy of a repo with 20,000 files',
    floor: '`git clone --local`',
    atMost: workingCopyAtMost.otherwise,
    rounds: 6,
  },
  checkpoint: {
    what: 'checkpoint of a repo with 20,000 files, 5 of them changed',
    floor: '`git status`',
    atMost: 3,
    rounds: 15,
  },
  'diff-stat': {
    what: '`agenc mission diff --stat` of a working copy with 20,000 files, untracked files included',
    floor: '`git diff --stat` of the same files, without untracked ones',
    atMost: null,
    rounds: 6,
  },
  print: {
    what: '`agenc mission print` of a conversation of 200 MB',
    floor: '`cat` of its transcript',
    atMost: null,
    rounds: 6,
  },
  resume: {
    what: '`agenc mission resume` of a running mission → its window is in front',
    floor: '`tmux select-window` from an empty Node script',
    atMost: 1.5,
    rounds: 20,
  },
  wait: {
    what: 'a mission becomes idle in the store → `agenc mission wait` has ended',
    floor: 'a byte in a FIFO → a Node script that reads it has ended',
    atMost: null,
    rounds: 20,
  },
  send: {
    what: '`agenc mission send` to an idle Claude → taken, and it is in the conversation',
    floor: 'a Node script that pastes by hand, pauses as long, and presses Enter',
    atMost: null,
    rounds: 15,
  },
  idle: { what: '100 idle missions, over 30 s', floor: null, atMost: null, rounds: 1 },
  memory: {
    what: 'memory (PSS) of one wrapper while 20 are running',
    floor: 'an idle empty Node script, 20 of them running',
    atMost: 1.6,
    unit: 'MiB',
    rounds: 20,
  },
  'growth-status': {
    what: '`agenc status --json` with 1,000 missions',
    floor: tenMissions,
    atMost: 2,
    rounds: 12,
  },
  'growth-ls': {
    what: '`agenc mission ls --json` with 1,000 missions',
    floor: tenMissions,
    atMost: 2,
    rounds: 12,
  },
  'growth-switch': {
    what: 'key press → switcher readable, 1,000 missions',
    floor: tenMissions,
    atMost: 2,
    rounds: 12,
  },
  kill: {
    what: '`agenc tmux kill` with 30 missions',
    floor: '`agenc mission stop` of one mission',
    atMost: null,
    rounds: 6,
  },
  install: { what: 'installed size and cold `npm ci`', floor: null, atMost: null, rounds: 1 },
}

export const rows: readonly Row[] = names.map(name => ({ unit: 'ms', ...table[name], name }))
