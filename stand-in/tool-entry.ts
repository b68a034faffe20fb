import type { ToolUse } from './permissions.ts'
import type { Stage } from './stage.ts'
import type { ToolResult } from './tools.ts'

const shownLines = 5

/** A tool call on the screen, and what became of it. */
export class ToolEntry {
  private readonly text: string
  private readonly update: ReturnType<Stage['show']>

  constructor(stage: Stage, tool: ToolUse) {
    const subject = tool.input.command ?? tool.input.file_path ?? tool.input.description ?? ''
    this.text = `${tool.name}(${String(subject).split('\n')[0]})`
    this.update = stage.show({ kind: 'tool', text: this.text })
  }

  refused(reason: string): ToolResult {
    this.detail(`Not run · permission denied\nReason: ${reason}`)
    return { kind: 'refused', text: reason }
  }

  finished(result: ToolResult, by: 'user' | 'hook' | 'rule'): ToolResult {
    const output = result.kind === 'failed' ? result.error : result.text
    const lines = typeof output === 'string' ? output.split('\n').slice(0, shownLines) : []
    this.detail([...lines, ...(by === 'hook' ? ['Allowed by PermissionRequest hook'] : [])].join('\n'))
    return result
  }

  private detail(detail: string): void {
    this.update({ kind: 'tool', text: this.text, detail })
  }
}
