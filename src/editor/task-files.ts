import { findNodeAtLocation, getNodeValue, type JSONPath } from 'jsonc-parser'
import { invalidFile, parseJsonc, setValue } from './jsonc.ts'

/** The task with this label is agenc's own, and is replaced. */
export const taskLabel = 'agenc: start or resume this mission'

export interface Task {
  command: string
  args: string[]
}

/** Without a permission mode the mission follows the settings, even when they change later. */
export function missionTask(missionId: string, permissionMode: string | null = null): Task {
  const mode = permissionMode === null ? [] : ['--permission-mode', permissionMode]
  return { command: 'agenc', args: ['mission', 'resume', missionId, ...mode] }
}

export interface TaskFile {
  /** Relative to the project's directory. */
  path: string
  /** The property that holds the list of tasks. Empty if the file itself is the list. */
  list: ['tasks'] | []
  /** A whole entry of the list. */
  entry(task: Task): Record<string, unknown>
  /** The fields of an entry that say what it starts. */
  start(task: Task): Record<string, unknown>
}

export const zedTasks: TaskFile = {
  path: '.zed/tasks.json',
  list: [],
  start: task => ({ ...task }),
  entry: task => ({ label: taskLabel, ...task, allow_concurrent_runs: false, reveal: 'always' }),
}

export const vscodeTasks: TaskFile = {
  path: '.vscode/tasks.json',
  list: ['tasks'],
  start: task => ({ type: 'process', ...task }),
  entry: task => ({
    label: taskLabel,
    type: 'process',
    ...task,
    presentation: { reveal: 'always', focus: true, panel: 'dedicated' },
    problemMatcher: [],
  }),
}

export interface Merge {
  text: string
  /** The labels of tasks that start `claude --dangerously-skip-permissions` and were left alone. */
  byHand: string[]
}

const byteOrderMark = '\ufeff'

/**
 * Merges the task into a file and leaves every other byte as it is. With `replaceByHand`, a task that starts Claude
 * without permissions keeps its label, to which keys may be bound, and starts the mission instead.
 */
export function mergeTask(file: TaskFile, old: string | null, task: Task, replaceByHand = false): Merge {
  if (old?.startsWith(byteOrderMark)) {
    const { text, byHand } = mergeTask(file, old.slice(1), task, replaceByHand)
    return { text: byteOrderMark + text, byHand }
  }
  const before = old ?? ''
  const entries = entriesIn(file, before)
  if (entries === null) return { text: before + newFile(file, task, before), byHand: [] }
  const byHand = entries.filter(({ value }) => !isOurs(value) && startsClaudeByHand(value))
  const ours = entries.filter(({ value }) => isOurs(value))
  let text = before
  for (const { path } of ours) text = setValue(text, path, file.entry(task))
  if (replaceByHand) {
    for (const { path } of byHand) {
      for (const [name, value] of Object.entries(file.start(task))) {
        text = setValue(text, [...path, name], value)
      }
    }
  }
  if (ours.length === 0) text = appendEntry(file, text, file.entry(task), entries.length)
  return {
    text,
    byHand: replaceByHand ? [] : byHand.map(({ value }) => String(value?.label ?? '(no label)')),
  }
}

interface Entry {
  path: JSONPath
  // biome-ignore lint/suspicious/noExplicitAny: a task file of the user's may hold anything
  value: any
}

/** The tasks in a file. Returns null if the file is empty. */
function entriesIn(file: TaskFile, text: string): Entry[] | null {
  const root = parseJsonc(text, file.path)
  if (root === null) return null
  const list = findNodeAtLocation(root, file.list)
  if (list === undefined && root.type === 'object') return []
  if (list?.type !== 'array') throw invalidFile(`${file.path} does not hold a list of tasks`)
  return getNodeValue(list).map((value: unknown, index: number) => ({ path: [...file.list, index], value }))
}

function appendEntry(file: TaskFile, text: string, entry: unknown, count: number): string {
  const hasList = findNodeAtLocation(parseJsonc(text, file.path)!, file.list) !== undefined
  return hasList ? setValue(text, [...file.list, count], entry) : setValue(text, file.list, [entry])
}

function newFile(file: TaskFile, task: Task, before: string): string {
  const entries = [file.entry(task)]
  const content = file.list.length > 0 ? { version: '2.0.0', tasks: entries } : entries
  return `${before === '' || before.endsWith('\n') ? '' : '\n'}${JSON.stringify(content, null, 2)}\n`
}

function isOurs(value: Entry['value']): boolean {
  return value?.label === taskLabel
}

/** VS Code also writes an argument as `{ "value": "…", "quoting": "…" }`. */
function startsClaudeByHand(value: Entry['value']): boolean {
  const args: unknown = value?.args
  const words = [value?.command, ...(Array.isArray(args) ? args : [])].map(word => word?.value ?? word)
  return /(?:^|[\s/'"])claude['"]?\s(?:.*\s)?['"]?--dangerously-skip-permissions\b/s.test(words.join(' '))
}
