export type Unit = 'ms' | 'MiB'

/** One line of the table: what is measured, beside what, and how much of that it may cost. */
export interface Row {
  name: RowName
  what: string
  /** null: there is nothing to compare with. */
  floor: string | null
  /** Times the floor; null: limits of its own, or only shown. */
  atMost: number | null
  unit: Unit
  rounds: number
  /** Where it is missed: what its figures say about why. */
  why?: string
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
  'resume',
  'idle',
  'memory',
  'growth-status',
  'growth-ls',
  'growth-switch',
  'kill',
  'install',
] as const

const emptyNode = 'an empty Node script'
const at10 = 'the same with 10 missions'

/** With copy-on-write a working copy need not write its files at all. */
export const workingCopyAtMost = { copyOnWrite: 0.5, otherwise: 1.2 }

const table: Record<RowName, Omit<Row, 'name' | 'unit'> & { unit?: Unit }> = {
  'ls-10': {
    what: '`agenc mission ls --json`, 10 missions, none running',
    floor: emptyNode,
    atMost: 1.3,
    rounds: 25,
  },
  'ls-1000': {
    what: 'the same, 1,000 missions, 20 running (one tmux query)',
    floor: emptyNode,
    atMost: 1.6,
    rounds: 25,
    why: 'Scripts that do no more than a part of it are measured beside an empty one. They load better-sqlite3 as it is installed; the built agenc opens the store in less, as ls-10 shows. Of the limit, what ls-10, one question to tmux and the writing leave is less than reading the records takes, without making anything of them: the difference of the last two.',
  },
  help: { what: '`agenc --help`', floor: emptyNode, atMost: 1.5, rounds: 25 },
  'mission-help': { what: '`agenc mission --help`', floor: emptyNode, atMost: 1.5, rounds: 25 },
  'switch-picker': {
    what: 'key press → switch picker readable, 100 mission windows',
    floor: 'key press → `display-popup -E` with `tmux list-windows` piped to fzf',
    atMost: 1.3,
    rounds: 25,
  },
  'new-picker': {
    what: 'key press → new-mission picker readable, 200 repos',
    floor: 'the same with `ls` piped to fzf',
    atMost: 1.5,
    rounds: 25,
  },
  hook: {
    what: 'one hook event, end to end, no Node',
    floor: "`sh -c 'cat >/dev/null'`",
    atMost: 3,
    rounds: 60,
  },
  'new-mission': {
    what: "`mission new --blank --no-focus` inside the session → Claude's process starts",
    floor: 'an empty Node script, then `tmux new-window` with an empty Node script that starts it',
    atMost: 1.6,
    rounds: 15,
  },
  'working-copy': {
    what: 'working copy of a 20,000-file repo',
    floor: '`git clone --local`',
    atMost: workingCopyAtMost.otherwise,
    rounds: 6,
  },
  resume: {
    what: '`resume` of a running mission → window in front',
    floor: '`tmux select-window` from an empty Node script',
    atMost: 1.4,
    rounds: 20,
  },
  idle: { what: '100 idle missions, 30 s', floor: null, atMost: null, rounds: 1 },
  memory: {
    what: 'memory of a wrapper (PSS), 20 running',
    floor: 'an idle empty Node script beside each',
    atMost: 1.3,
    unit: 'MiB',
    rounds: 20,
  },
  'growth-status': { what: '`status` at 1,000 missions', floor: at10, atMost: 2, rounds: 12 },
  'growth-ls': { what: '`ls` at 1,000 missions', floor: at10, atMost: 2, rounds: 12 },
  'growth-switch': { what: '`switch` at 1,000 missions', floor: at10, atMost: 2, rounds: 12 },
  kill: {
    what: '`tmux kill`, 30 missions',
    floor: 'stopping one',
    atMost: 3,
    rounds: 6,
    why: "tmux closes one window after the other (Debian's starts a helper program for each), however many cores there are. What it takes to end as many Node scripts that do nothing, plus the Node that stops one, leaves little below the limit; and a wrapper still has to hear its signal, end its Claude and store how that went. To kill a session with one mission ends a session as well, so thirty are measured beside that, too. All of them have run for some ten seconds, after which V8 drops what it compiled for their start. Their Claude ends at once; thirty real ones take seconds, however they are told to end and by whom, because at their end they all write the same file, one after the other.",
  },
  install: { what: 'installed size, cold `npm ci`', floor: null, atMost: null, rounds: 1 },
}

export const rows: readonly Row[] = names.map(name => ({ unit: 'ms', ...table[name], name }))
