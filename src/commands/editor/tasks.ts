import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { readStore } from '../../db/with-store.ts'
import { mergeTask } from '../../editor/editor-tasks.ts'
import { missionTask, type Task, vscodeTasks, zedTasks } from '../../editor/task-files.ts'
import { usageError } from '../../errors.ts'
import { confirm } from '../../io/prompt.ts'
import { cleanText } from '../../io/text.ts'
import { missionOfDirectory } from './project.ts'
import { readProjectFile, writeProjectFile } from './project-file.ts'

interface Input {
  dir?: string
  replace?: boolean
  keep?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    "Add a task to a mission's .zed/tasks.json and .vscode/tasks.json that starts or resumes the mission in its configured permission mode. Everything else in these files stays as it is.",
  arguments: [{ name: 'dir', description: "a mission's directory (default: the current one)" }],
  options: [
    { flags: '--replace', description: 'replace tasks that skip all permissions' },
    { flags: '--keep', description: 'keep tasks that skip all permissions, and do not ask' },
    jsonOption,
  ],
  examples: ['agenc editor tasks', 'agenc editor tasks --replace'],
  async run(context, { dir: place, replace = false, keep = false, json }) {
    if (replace && keep) throw usageError('--replace and --keep exclude each other', 'Give one of them.')
    const { id } = await readStore(context, db => missionOfDirectory(context, db, place))
    const { agent: dir } = context.paths.mission(id)
    const found = readTaskFiles(dir)
    const task = missionTask(id)
    const byHand = merged(found, task, false).flatMap(file => file.byHand)
    const mayReplace = replace || (byHand.length > 0 && !keep && (await offer(context, byHand)))
    const files = merged(found, task, mayReplace)
    for (const { path, text, changed } of files) if (changed) writeProjectFile(dir, path, text)
    report(context, { id, dir, files, json })
    return 0
  },
})

function readTaskFiles(dir: string) {
  return [zedTasks, vscodeTasks].map(file => ({ file, old: readProjectFile(dir, file.path) }))
}

/** Both before either is written: an invalid one leaves both as they are. */
function merged(found: ReturnType<typeof readTaskFiles>, task: Task, replaceByHand: boolean) {
  return found.map(({ file, old }) => {
    const { text, byHand } = mergeTask(file, old, task, replaceByHand)
    return { path: file.path, text, changed: text !== old, byHand }
  })
}

async function offer(context: Context, labels: readonly string[]): Promise<boolean> {
  const { err } = context
  for (const label of labels) {
    err.line(`agenc: the task "${cleanText(label)}" starts claude --dangerously-skip-permissions`)
  }
  if (isInteractive(context)) return confirm(context, 'Let it start this mission instead?', false)
  err.line('Pass --replace to let it start this mission instead, --keep to leave it.')
  return false
}

interface Outcome {
  id: string
  dir: string
  files: ReturnType<typeof merged>
  json: boolean | undefined
}

function report({ out, err }: Context, { id, dir, files, json }: Outcome): void {
  if (json) {
    const shown = files.map(({ path, changed, byHand }) => ({ path, changed, by_hand: byHand }))
    out.line(JSON.stringify({ id, dir, files: shown }))
    return
  }
  for (const { path, changed } of files) err.line(`${path}: ${changed ? 'written' : 'up to date'}`)
}
