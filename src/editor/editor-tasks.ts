import type { Node } from 'jsonc-parser'
import {
  appendChildren,
  applyEdits,
  type Edit,
  invalidFile,
  parseJsonc,
  propertyOf,
  replaceNode,
} from './jsonc.ts'
import { type Task, type TaskFile, taskLabel } from './task-files.ts'

export interface Merge {
  text: string
  /** Labels of tasks that start `claude --dangerously-skip-permissions` by hand and were left alone. */
  byHand: string[]
}

/**
 * The file with our task in it, and every byte of the rest as it was. With `replaceByHand`, a task that
 * starts Claude by hand keeps its label (people bind keys to it) and starts ours instead.
 */
export function mergeTask(file: TaskFile, old: string | null, task: Task, replaceByHand = false): Merge {
  const text = old ?? ''
  const root = parseJsonc(text, file.path)
  if (!root) return { text: text + newFile(file, task, text), byHand: [] }
  const list = tasksIn(file, root)
  const entries = list?.children ?? []
  const ours = entries.filter(entry => propertyOf(entry, 'label')?.value === taskLabel)
  const byHand = entries.filter(entry => !ours.includes(entry) && startsClaudeByHand(entry))
  const edits: Edit[] = ours.flatMap(entry => replaceNode(text, entry, file.entry(task)))
  if (!list) edits.push(...appendChildren(text, root, [{ name: file.property!, value: [file.entry(task)] }]))
  else if (ours.length === 0) edits.push(...appendChildren(text, list, [{ value: file.entry(task) }]))
  if (replaceByHand) edits.push(...byHand.flatMap(entry => restart(text, entry, file.start(task))))
  return {
    text: applyEdits(text, edits),
    byHand: replaceByHand
      ? []
      : byHand.map(entry => String(propertyOf(entry, 'label')?.value ?? '(no label)')),
  }
}

function newFile(file: TaskFile, task: Task, before: string): string {
  const entries = [file.entry(task)]
  const content = file.property ? { version: '2.0.0', [file.property]: entries } : entries
  return `${before === '' || before.endsWith('\n') ? '' : '\n'}${JSON.stringify(content, null, 2)}\n`
}

/** Null where the object has no such property yet. */
function tasksIn(file: TaskFile, root: Node): Node | null {
  const list =
    file.property === null ? root : root.type === 'object' ? propertyOf(root, file.property) : undefined
  if (list?.type === 'array') return list
  if (root.type === 'object' && file.property !== null && !list) return null
  throw invalidFile(`${file.path} does not hold a list of tasks`)
}

/** VS Code also writes an argument as `{ "value": "…", "quoting": "…" }`. */
function startsClaudeByHand(entry: Node): boolean {
  const command = propertyOf(entry, 'command')
  const words = [command, ...(propertyOf(entry, 'args')?.children ?? [])].map(
    word => word && (propertyOf(word, 'value') ?? word).value,
  )
  return /(?:^|[\s/'"])claude['"]?\s(?:.*\s)?['"]?--dangerously-skip-permissions\b/s.test(words.join(' '))
}

function restart(text: string, entry: Node, start: Record<string, unknown>): Edit[] {
  const fields = Object.entries(start).map(([name, value]) => ({ name, value, old: propertyOf(entry, name) }))
  return [
    ...fields.flatMap(({ old, value }) => (old ? replaceNode(text, old, value) : [])),
    ...appendChildren(
      text,
      entry,
      fields.filter(({ old }) => !old),
    ),
  ]
}
