import { randomBytes } from 'node:crypto'

/** A command or an agent that runs in the background. */
export type Task =
  | { id: string; type: 'shell'; description: string; command: string }
  | { id: string; type: 'subagent'; description: string; agentType: string }

export class Tasks {
  private readonly running = new Map<string, Task>()

  add(task: Task): void {
    this.running.set(task.id, task)
  }

  remove(id: string): void {
    this.running.delete(id)
  }

  count(type: Task['type']): number {
    return [...this.running.values()].filter(task => task.type === type).length
  }

  /** The running tasks in the form that hooks receive. */
  list(): Record<string, unknown>[] {
    return [...this.running.values()].map(task => ({
      id: task.id,
      type: task.type,
      status: 'running',
      description: task.description,
      ...(task.type === 'shell' ? { command: task.command } : { agent_type: task.agentType }),
    }))
  }
}

export const newAgentId = (): string => `a${randomBytes(8).toString('hex')}`
export const newShellId = (): string => `b${randomBytes(4).toString('hex')}`

export interface Finished {
  taskId: string
  toolUseId: string
  outputFile: string
  summary: string
  result?: string
}

/** The prompt that Claude sends to itself when a task ends. */
export function notification(task: Finished): string {
  return [
    '<task-notification>',
    `<task-id>${task.taskId}</task-id>`,
    `<tool-use-id>${task.toolUseId}</tool-use-id>`,
    `<output-file>${task.outputFile}</output-file>`,
    '<status>completed</status>',
    `<summary>${task.summary}</summary>`,
    ...(task.result === undefined ? [] : [`<result>${task.result}</result>`]),
    '</task-notification>',
  ].join('\n')
}
