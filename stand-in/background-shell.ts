import type { ToolUse } from './permissions.ts'
import type { Stage } from './stage.ts'
import { newShellId, notification } from './tasks.ts'
import type { ToolResult } from './tools.ts'

/** A command that the conversation does not wait for; when it ends, Claude is told. */
export function startBackgroundShell(stage: Stage, tool: ToolUse): ToolResult {
  const { session, tasks, shells } = stage
  const id = newShellId()
  const command = String(tool.input.command)
  const description = String(tool.input.description ?? command)
  const outputFile = session.places.taskOutput(session.cwd, session.sessionId, id)
  tasks.add({ id, type: 'shell', description, command })
  void shells.background(command, { cwd: session.cwd, env: stage.childEnv() }, outputFile).then(exitCode => {
    if (stage.ending.aborted) return
    tasks.remove(id)
    stage.changed()
    const summary = `Background command "${description}" completed (exit code ${exitCode})`
    stage.notify(notification({ taskId: id, toolUseId: tool.id, outputFile, summary }))
  })
  const text = `Command running in background with ID: ${id}. Output is being written to: ${outputFile}.`
  const response = { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
  return { kind: 'done', response: { ...response, backgroundTaskId: id }, text }
}
