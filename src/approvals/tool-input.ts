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

export const writingTools = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write'])

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
