import type { ToolNames } from './apply-rules.ts'

/** True for plans and questions. Rules never answer them, even if a rule names the tool. */
export function isForTheUser(tool: string): boolean {
  return tool === 'AskUserQuestion' || tool === 'ExitPlanMode'
}

/** The input field that names the file or directory a tool works on. */
const pathFields: Record<string, string> = {
  Edit: 'file_path',
  Glob: 'path',
  Grep: 'path',
  LS: 'path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
  NotebookRead: 'notebook_path',
  Read: 'file_path',
  Write: 'file_path',
}

/** These tools work on the current directory if no path is given. */
export const directoryTools = new Set(['Glob', 'Grep', 'LS'])

const writingTools = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write'])

/** Deny and ask rules for Bash or Write apply to every tool that works like one. Tools of MCP servers are allowed by name. */
export function toolNames(
  tool: string,
  worksLike: string | null = writingTools.has(tool) ? 'Write' : null,
): ToolNames {
  const all = worksLike === null ? [tool] : [...new Set([tool, worksLike])]
  return { restricting: all, allowing: worksLike === 'Bash' && !tool.startsWith('mcp__') ? all : [tool] }
}

/** Any tool with a `command` runs it. An argument list becomes a command line. */
export function commandLines(tool: string, input: unknown): string[] {
  if (tool === 'SlashCommand' || typeof input !== 'object' || input === null)
    return tool === 'Bash' ? [''] : []
  const given = ['command', 'commands', 'cmd'].map(field => (input as Record<string, unknown>)[field])
  const lines = given.flatMap(value => {
    if (typeof value === 'string') return [value]
    if (!Array.isArray(value)) return []
    const words = value.filter(word => typeof word === 'string')
    return [
      words.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' '),
      ...words.filter(word => /\s/.test(word)),
    ]
  })
  return tool === 'Bash' && lines.length === 0 ? [''] : lines
}

/** The paths of a tool that is not known. It counts as writing to them. */
export function writtenPaths(tool: string, input: unknown): string[] {
  if (textField(tool) || typeof input !== 'object' || input === null) return []
  const isPath = (key: string) => /(?:^|_)(?:path|file|filename|destination|target)$|(?:P|p)ath$/.test(key)
  return Object.entries(input).flatMap(([key, value]) =>
    isPath(key) && typeof value === 'string' ? [value] : [],
  )
}

export function pathField(tool: string): string | undefined {
  return Object.hasOwn(pathFields, tool) ? pathFields[tool] : undefined
}

/** For other tools, the field that `match` is compared with. A rule with `match` never allows an unlisted tool. */
const textFields: Record<string, string> = {
  Agent: 'subagent_type',
  BashOutput: 'bash_id',
  KillShell: 'shell_id',
  Skill: 'skill',
  SlashCommand: 'command',
  Task: 'subagent_type',
  WebSearch: 'query',
}

export function textField(tool: string): string | undefined {
  return Object.hasOwn(textFields, tool) ? textFields[tool] : undefined
}

export function inputText(input: unknown, field: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const value: unknown = (input as Record<string, unknown>)[field]
  return typeof value === 'string' ? value : undefined
}

/** Returns the input of a request to use the tool on this command, path or URL. */
export function inputFor(tool: string, text: string): Record<string, unknown> {
  if (tool === 'Bash') return { command: text }
  if (tool === 'WebFetch') return { url: text }
  const field = pathField(tool) ?? textField(tool)
  return field ? { [field]: text } : {}
}
