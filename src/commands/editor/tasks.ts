import { existsSync, realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { getMission, listMissions, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { readStore } from '../../db/with-store.ts'
import { readProjectFile, writeProjectFile } from '../../editor/project-file.ts'
import { mergeTask, missionTask, type Task, vscodeTasks, zedTasks } from '../../editor/task-files.ts'
import { usageError } from '../../errors.ts'
import { confirm } from '../../io/prompt.ts'
import { cleanText } from '../../io/text.ts'
import { missionDirectory } from '../../mission/mission-directory.ts'
import { isMissionId, type MissionId } from '../../mission-id.ts'

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
    if (replace && keep) throw usageError('--replace and --keep exclude each other', 'Use one of them.')
    const mission = await readStore(context, db => missionOfDirectory(context, db, place))
    const { id } = mission
    const dir = missionDirectory(context.paths, mission)
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

/** The mission that a directory belongs to. Defaults to the current directory's, else to the mission this runs in. */
function missionOfDirectory(context: Context, db: Database | null, dir: string | undefined): MissionRecord {
  const place = resolve(context.cwd, dir ?? '.')
  const here = dir === undefined ? context.env.AGENC_MISSION_UUID : undefined
  const id = missionIdIn(context.paths.missions, place) ?? here
  const mission = db && (id ? getMission(db, id as MissionId) : missionGiven(db, place))
  if (mission) return mission
  throw usageError(
    `${place} is not a mission's directory`,
    "Name one: 'agenc mission show <mission>' prints a mission's directory.",
  )
}

/** The mission that was given this directory with `--dir`, or one around it. */
function missionGiven(db: Database, place: string): MissionRecord | undefined {
  if (!existsSync(place)) return undefined
  const real = realpathSync(place)
  const given = listMissions(db).filter(({ dir }) => dir !== null && `${real}/`.startsWith(`${dir}/`))
  return given.toSorted((a, b) => b.dir!.length - a.dir!.length)[0]
}

function missionIdIn(missions: string, place: string): MissionId | undefined {
  try {
    const [id] = relative(realpathSync(missions), realpathSync(place)).split(sep)
    return id && isMissionId(id) ? id : undefined
  } catch {
    return undefined
  }
}

function readTaskFiles(dir: string) {
  return [zedTasks, vscodeTasks].map(file => ({ file, old: readProjectFile(dir, file.path) }))
}

/** Merges both files before either is written, so that an invalid one leaves both unchanged. */
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
  if (isInteractive(context)) return confirm(context, 'Make it start this mission instead?', false)
  err.line('Use --replace to make it start this mission instead, or --keep to leave it.')
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
