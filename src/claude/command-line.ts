/** Longer prompts travel as Claude's stdin: one argument may not reach 128 KiB on Linux. */
const longestArgumentBytes = 100 * 1024

export interface CommandLineParts {
  session: readonly string[]
  permission: readonly string[]
  settingsPath: string
  name: string | null
  model: string | null
  extra: readonly string[]
  prompt: string | null
}

export interface CommandLine {
  args: string[]
  /** The prompt is too long for an argument and must be Claude's stdin. */
  promptIsStdin: boolean
}

export function claudeCommandLine(parts: CommandLineParts): CommandLine {
  const promptIsStdin = parts.prompt !== null && Buffer.byteLength(parts.prompt) > longestArgumentBytes
  const args = [
    ...parts.session,
    ...parts.permission,
    '--settings',
    parts.settingsPath,
    ...(parts.name === null ? [] : [`--name=${parts.name}`]),
    ...(parts.model === null ? [] : [`--model=${parts.model}`]),
    ...parts.extra,
    ...(parts.prompt === null || promptIsStdin ? [] : ['--', parts.prompt]),
  ]
  return { args, promptIsStdin }
}
