/** Found again by this label: what stands under it is ours to replace. */
export const taskLabel = 'agenc: start or resume this mission'

export interface Task {
  command: string
  args: string[]
}

export interface TaskFile {
  /** Relative to the project's directory. */
  path: string
  entry(task: Task): Record<string, unknown>
  /** The fields of an entry that say what it starts. */
  start(task: Task): Record<string, unknown>
  /** Whether the tasks stand in an object's property or are the file. */
  property: 'tasks' | null
}

export const zedTasks: TaskFile = {
  path: '.zed/tasks.json',
  property: null,
  start: task => ({ ...task }),
  entry: task => ({ label: taskLabel, ...task, allow_concurrent_runs: false, reveal: 'always' }),
}

export const vscodeTasks: TaskFile = {
  path: '.vscode/tasks.json',
  property: 'tasks',
  start: task => ({ type: 'process', ...task }),
  entry: task => ({
    label: taskLabel,
    type: 'process',
    ...task,
    presentation: { reveal: 'always', focus: true, panel: 'dedicated' },
    problemMatcher: [],
  }),
}

/** Without a mode of its own the mission follows the settings, also when they change later. */
export function missionTask(missionId: string, permissionMode: string | null = null): Task {
  const mode = permissionMode === null ? [] : ['--permission-mode', permissionMode]
  return { command: 'agenc', args: ['mission', 'resume', missionId, ...mode] }
}
