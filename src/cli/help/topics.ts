import type { Config } from '../../config/schema.ts'
import { ExitCode } from '../../errors.ts'
import { approveMeanings, modeAliases, permissionModes } from '../../mission/mode-meanings.ts'
import { ownEntry, type ShortForms } from '../command.ts'

/** Terms with their meanings. */
export type Rows = readonly (readonly [term: string, meaning: string])[]

/** A paragraph, a list of terms, or lines shown exactly as written. */
export type Block = string | { rows: Rows } | { lines: readonly string[] }

export interface Topic {
  summary: string
  /** Some texts show the user's current settings. */
  text: (config: Config) => readonly Block[]
}

const keyMeanings = {
  new: 'start a mission',
  switch: 'pick a mission and go to its window',
  next: 'go to the mission that has waited for you longest',
  resume: 'resume a mission that has ended',
  fork: 'fork this mission, with its conversation',
  stop: 'stop this mission',
  editor: "open this mission's directory in the editor",
  diff: 'show what this mission has changed; t switches to its latest turn',
  review: 'write comments on what this mission has changed',
  land: 'bring the work of this mission to its branch: pull, push, pull request, sync, done',
  hold: 'pause automatic approvals for all missions',
  detach: 'leave the session; its missions keep running',
  help: 'show these keys as a menu',
} as const

/** The topics of `agenc help <topic>`. */
export const topics: Readonly<Record<string, Topic>> = {
  keys: {
    summary: 'Keys in the agenc session',
    text: ({ tmux: { prefix_key, keys } }) => [
      `In the agenc session, press your tmux prefix (C-b unless you changed it), then ${prefix_key}, then one of these keys. In your other tmux sessions, every key does what it did before.`,
      {
        rows: Object.entries(keyMeanings).map(
          ([name, meaning]) => [`prefix ${prefix_key} ${keys[name as keyof typeof keys]}`, meaning] as const,
        ),
      },
      'To change a key, set it and bind the keys again:',
      {
        lines: [
          'agenc config set tmux.prefix_key g',
          'agenc config set tmux.keys.new N',
          'agenc tmux inject-config',
        ],
      },
    ],
  },
  states: {
    summary: 'Status and state of a mission',
    text: () => [
      'Every mission has a status:',
      {
        rows: [
          ['running', 'its Claude is running'],
          ['stopped', 'you stopped it or left Claude; resume continues the conversation'],
          [
            'crashed',
            "it ended when the machine, tmux or the terminal went down, or it was killed; 'agenc tmux restore' reopens it",
          ],
          ['archived', 'hidden from lists, with its files and conversation; unarchive brings it back'],
        ],
      },
      'A running mission also has a state. The status line shows these signs:',
      {
        rows: [
          ['starting', 'not ready yet; no sign'],
          ['· idle', 'ready for your next prompt'],
          ['✓ done', 'the same, and it has finished something since you last looked; JSON says idle'],
          ['● busy', 'working; +bg means that a background task is still running'],
          ['? waiting', 'cannot continue without you'],
          ['✗ crashed', 'its window says why it ended, until you press Enter or q'],
        ],
      },
      'A waiting mission waits for one of these:',
      {
        rows: [
          ['permission', 'permission to use a tool'],
          ['question', 'an answer to a question'],
          ['plan', 'approval of a plan'],
          ['trust', 'your decision whether Claude may work in this directory'],
          ['input', 'an answer to any other dialog'],
        ],
      },
    ],
  },
  modes: {
    summary: 'Permission modes, and which one applies',
    text: ({ claude: { permission_mode } }) => [
      'A permission mode says what Claude may do without asking:',
      { rows: meanings([...permissionModes, ...modeAliases]) },
      "Any other word is passed to Claude unchanged, since new versions bring new modes. 'config set' takes one only with --force.",
      'The first of these that is set applies. If none is set, Claude decides as if you had started it by hand.',
      {
        rows: [
          ['--permission-mode', "of 'mission new' and 'mission resume'; stored with the mission"],
          ['the mission', 'the mode you changed to while it was running (Shift+Tab)'],
          ['the repo', 'agenc config set repos.github.com/owner/name.permission_mode plan'],
          [
            'the default',
            `agenc config set claude.permission_mode plan (now: ${permission_mode ?? 'not set'})`,
          ],
        ],
      },
    ],
  },
  approvals: {
    summary: 'Who answers permission requests',
    text: ({ approvals: { mode } }) => [
      `The option --approve, or else the setting approvals.mode (now: ${mode}), decides who answers when Claude asks for permission:`,
      { rows: meanings(approveMeanings) },
      'Rules are in config.json. A rule must match the whole command or path. Every part of a compound command must pass. You are asked about anything that cannot be understood with certainty. Deny rules apply in every permission mode.',
      {
        lines: [
          '"approvals": { "mode": "rules", "rules": [',
          '  { "tool": "Bash", "match": "git status*",',
          '    "decision": "allow" },',
          '  { "tool": "Bash", "match": "git push*",',
          '    "decision": "deny" } ] }',
        ],
      },
      "Rules never answer plans and questions. 'agenc approvals allow', 'deny' and 'rm' write and remove rules.",
    ],
  },
  files: {
    summary: 'Where agenc keeps its files',
    text: () => [
      "Everything is in agenc's home, which is $AGENC_DIRPATH or ~/.agenc. Only you can read it.",
      {
        rows: [
          ['config.json', "settings; 'agenc config edit' checks what you save"],
          ['config.schema.json', 'lets editors complete and check config.json'],
          ['database.sqlite', 'the store: missions, repos and their history'],
          ['repos/<host>/<owner>/<name>', 'the library that missions are copied from'],
          ['missions/<uuid>/agent', "a mission's working copy, where its Claude works"],
          ['missions/<uuid>/wrapper.log', 'what agenc did for this mission'],
          ['missions/<uuid>/setup.log', "the output of the repo's setup command"],
          ['tmux-socket', 'the tmux server that has the agenc session'],
          ['compile-cache', 'compiled code that Node 22 and later keep; safe to delete'],
        ],
      },
      'Claude Code itself keeps the conversations, in ~/.claude/projects.',
    ],
  },
  environment: {
    summary: 'Environment variables that agenc reads and sets',
    text: () => [
      'agenc reads:',
      {
        rows: [
          ['AGENC_DIRPATH', "agenc's home, instead of ~/.agenc"],
          ['AGENC_DEBUG', '1 prints a stack trace with every error'],
          ['NO_COLOR, FORCE_COLOR', 'no colours; colours even into a pipe'],
          ['VISUAL, EDITOR', "the editor for 'agenc config edit', and for missions if no other is found"],
          ['CLAUDE_CONFIG_DIR', "the directory of Claude Code's own files"],
        ],
      },
      "agenc sets in a mission's process:",
      {
        rows: [
          ['AGENC_MISSION_UUID', "the mission; on the command line, '.' stands for it"],
          ['AGENC_HERE', 'the same, in a shell that you open beside the mission in the session'],
          ['AGENC_PARENT_WINDOW', 'the tmux window that the mission was started from, if any'],
          ['AGENC_PORT, AGENC_PORT_0 to _9', 'ten ports that no other mission has; AGENC_PORT is the first'],
          ['AGENC_TMUX', '1 in the agenc session'],
        ],
      },
    ],
  },
  json: {
    summary: 'Output for scripts',
    text: () => [
      'Every command that prints data takes --json. Lists are arrays and single things are objects. Keys are in snake_case and never missing, absent values are null, and times are ISO 8601 in UTC. Data goes to stdout, everything else to stderr.',
      {
        lines: [
          'agenc mission ls --json |',
          '  jq -r \'.[] | select(.state == "waiting") | .id\'',
          "agenc status --json | jq '.summary.waiting'",
          'id=$(agenc mission new owner/name --detach)',
          "agenc mission ls --json | jq -r '.[] | select(.parent_id != null) | .id'",
          'agenc prime --json | jq -r .text',
        ],
      },
      'Many commands take --quiet, which prints only results, warnings and errors, and asks nothing. --yes confirms a deletion in advance. The package has types for TypeScript: import type { Mission, Status } from "agenc".',
      "'agenc prime' prints what a Claude needs to know to run missions itself.",
    ],
  },
  'exit-codes': {
    summary: 'What the exit codes mean',
    text: () => [
      {
        rows: [
          [String(ExitCode.ok), 'success, also for an empty list'],
          [String(ExitCode.failed), "failure; 'doctor' found a problem"],
          [
            String(ExitCode.usage),
            'bad usage: an unknown command, mission or repo, or no terminal where one is needed',
          ],
          [String(ExitCode.unavailable), 'tmux, git or claude is missing or too old'],
          [String(ExitCode.config), 'config.json is not valid'],
          [String(ExitCode.timeRanOut), 'the time ran out'],
          [String(ExitCode.cancelled), 'you cancelled the command'],
        ],
      },
      "Outside tmux, 'mission new' and 'mission resume' end with Claude's own exit code, or with 128 plus the number of the signal that ended it. No command ends with 2, because Claude Code takes a 2 from a hook as a veto.",
    ],
  },
}

function meanings(list: readonly { name: string; meaning: string }[]): Rows {
  return list.map(({ name, meaning }) => [name, meaning] as const)
}

export function topicNamed(name: string): Topic | undefined {
  return ownEntry(topics, name)
}

/** Short forms and what they stand for, for `agenc --help`. */
export function shortFormList(shortForms: ShortForms): string {
  const width = Math.max(...Object.keys(shortForms).map(name => name.length))
  return Object.entries(shortForms)
    .map(([name, whole]) => `  agenc ${name.padEnd(width)}  agenc ${whole}`)
    .join('\n')
}

/** In a narrower terminal, each summary goes on a line of its own. */
const columnsForOneLine = 64

/** The list at the end of `agenc --help`. */
export function topicList(columns: number): string {
  const width = Math.max(...Object.keys(topics).map(name => name.length))
  const between = (name: string) =>
    columns < columnsForOneLine ? '\n    ' : ' '.repeat(width - name.length + 2)
  return Object.entries(topics)
    .map(([name, { summary }]) => `  ${name}${between(name)}${summary}`)
    .join('\n')
}
