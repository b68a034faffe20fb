import * as v from 'valibot'
import { approveModes } from './approve-modes.ts'
import { wholeRepoName } from './repo-names.ts'

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const words = v.array(v.string())
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0))
/** At most four days, and more than nothing. */
const duration = v.pipe(
  v.string(),
  v.regex(
    /^(?=.*[1-9])(\d{1,2}h)?(\d{1,3}m)?(\d{1,3}s)?(\d{1,6}ms)?$/,
    'is not a duration such as 90s, 10m or 2h',
  ),
)
const approveMode = v.picklist(approveModes)

/** A program with its arguments, or one string for `sh -c`. */
const command = v.union([text, v.pipe(words, v.minLength(1))])

const described = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description))

const unset = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.optional(described(schema, description))

const section = <E extends v.ObjectEntries>(entries: E) => v.optional(v.strictObject(entries), {} as never)

const notWholeRepoName = 'is not a full repo name such as github.com/owner/name'
const repoName = v.pipe(v.string(), v.regex(wholeRepoName, notWholeRepoName))

export const editorNames = [
  'auto',
  'zed',
  'vscode',
  'cursor',
  'windsurf',
  'kitty',
  'alacritty',
  'wezterm',
  'gnome-terminal',
  'konsole',
  'iterm2',
  'terminal-app',
] as const

const key = (standard: string, does: string) =>
  v.optional(described(text, `Key in the agenc table: ${does}`), standard)

const rule = v.strictObject({
  tool: described(text, 'Name of the tool, or a glob over names'),
  match: unset(text, 'Glob over one simple command (Bash) or over the resolved path (file tools)'),
  decision: v.picklist(['allow', 'deny', 'ask']),
  message: unset(v.string(), 'Message to Claude when a request is denied'),
  repo: unset(repoName, 'Applies only to missions on this repo'),
})

/** All of config.json. The published JSON Schema and docs/configuration.md are generated from this. */
export const configSchema = v.strictObject({
  $schema: v.optional(v.string()),
  claude: section({
    command: unset(text, 'Program to run in place of `claude` from PATH'),
    permission_mode: unset(text, 'Permission mode of missions without one of their own'),
    allowed_tools: v.optional(described(words, 'Tools that the mode `allowedTools` lets through'), [
      'Edit',
      'Write',
      'Bash',
      'Read',
      'Glob',
      'Grep',
    ]),
    model: unset(text, 'Model passed to Claude'),
    args: v.optional(described(words, 'Further arguments for Claude'), []),
    prime: v.optional(
      described(v.boolean(), 'Tell every Claude how to run missions itself; `agenc prime` shows the text'),
      false,
    ),
  }),
  editor: section({
    name: v.optional(described(v.picklist(editorNames), 'Editor that `mission open` starts'), 'auto'),
    command: unset(
      v.pipe(words, v.minLength(1)),
      'A program of your own with its arguments; `{dir}` is the directory',
    ),
  }),
  tmux: section({
    prefix_key: v.optional(described(text, 'Key after the tmux prefix that opens the agenc table'), 'a'),
    keys: section({
      new: key('n', 'new mission'),
      switch: key('s', 'switch to a mission'),
      resume: key('r', 'resume a mission'),
      next: key('a', 'go to the mission that has waited longest'),
      fork: key('f', 'fork this mission'),
      stop: key('x', 'stop this mission'),
      editor: key('e', 'open the editor'),
      shell: key('c', 'open a shell beside this mission'),
      diff: key('v', 'show what this mission has changed'),
      review: key('V', 'write comments on what this mission has changed'),
      land: key('l', 'land this mission: a menu'),
      hold: key('h', 'hold all approvals, or release them'),
      detach: key('d', 'detach'),
      help: key('?', 'help menu'),
    }),
    return_to_parent: v.optional(
      described(
        v.picklist(['always', 'when-focused', 'never']),
        'When a mission ends, go back to the window it was started from',
      ),
      'always',
    ),
  }),
  stop: section({
    grace_ms: v.optional(
      described(milliseconds, 'How long Claude may take to exit before it is killed'),
      5000,
    ),
  }),
  missions: section({
    branch: v.optional(
      described(
        v.string(),
        'Branch of a new mission: `{name}` is its name, `{id}` its short id; empty stays on the base branch',
      ),
      'agenc/{name}-{id}',
    ),
    checkpoints: v.optional(described(v.boolean(), 'Record the files of a mission after each turn'), true),
    checkpoint_exclude: v.optional(described(words, 'Files that are never recorded, as git globs'), [
      '.env*',
      '*.pem',
      '*.key',
    ]),
    headless_idle: v.optional(
      described(
        duration,
        'How long a Claude without a terminal stays when it has nothing to do, such as 10m',
      ),
      '10m',
    ),
    port_base: v.optional(
      described(
        v.pipe(v.number(), v.integer(), v.minValue(1024), v.maxValue(65_000)),
        'First port that missions get; each has ten',
      ),
      20_000,
    ),
    max_children: v.optional(
      described(count, 'How many missions the Claude of one mission may have running that it has started'),
      8,
    ),
    max_depth: v.optional(
      described(
        count,
        'How long a chain of missions may get in which each is started by the Claude of the one before',
      ),
      3,
    ),
    max_running: unset(
      v.pipe(count, v.minValue(1)),
      'How many missions may run before no agent, list or loop starts another one (default: one per 400 MB of memory, at least 4); you are only warned',
    ),
  }),
  notify: section({
    bell: v.optional(described(v.boolean(), 'Ring the bell when a mission waits or finishes'), false),
    message: v.optional(described(v.boolean(), 'Show a tmux message when a mission waits or finishes'), true),
    command: unset(
      v.pipe(words, v.minLength(1)),
      'Program with arguments to run when a mission waits or finishes',
    ),
  }),
  approvals: section({
    mode: v.optional(described(approveMode, 'Who answers permission requests'), 'ask'),
    delay_ms: v.optional(
      described(milliseconds, 'How long a dialog stays open before a rule allows the request'),
      500,
    ),
    rules: v.optional(described(v.array(rule), 'Rules that allow, deny or ask'), []),
  }),
  repos: v.optional(
    v.pipe(
      v.objectWithRest(
        {
          fetch_timeout: v.optional(
            described(
              v.pipe(v.number(), v.minValue(0), v.maxValue(3600)),
              'How many seconds a new mission may wait for its repo to be fetched; after that it starts on what is there',
            ),
            5,
          ),
        },
        v.strictObject({
          setup: unset(command, 'Runs in every new working copy before Claude'),
          permission_mode: unset(text, 'Permission mode of missions on this repo'),
          approve: unset(approveMode, 'Approvals of missions on this repo'),
          model: unset(text, 'Model of missions on this repo'),
          checkout: unset(text, 'Your own checkout of this repo, if it was not added by path'),
          include: unset(
            words,
            'Ignored files of your checkout that new missions get, as gitignore patterns',
          ),
        }),
      ),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return
        for (const key of Object.keys(dataset.value).filter(key => key !== 'fetch_timeout'))
          if (!wholeRepoName.test(key))
            addIssue({
              message: notWholeRepoName,
              path: [{ type: 'object', origin: 'key', input: dataset.value, key, value: key }],
            })
      }),
    ),
    {} as never,
  ),
})

type Parsed = v.InferOutput<typeof configSchema>
export type RepoConfig = Parsed['repos'][string]

/** In `repos`, every key with a slash is a repo. */
export type Config = Omit<Parsed, 'repos'> & {
  repos: { fetch_timeout: number; [repo: `${string}/${string}`]: RepoConfig }
}
