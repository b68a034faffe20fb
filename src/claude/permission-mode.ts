import type { Config } from '../config/schema.ts'

const aliases: Record<string, string> = {
  manual: 'default',
  'auto-accept': 'bypassPermissions',
  allowedTools: 'default',
}

/** The word that Claude itself knows. Unknown words go to Claude as they are: new versions bring new modes. */
export function claudeMode(mode: string): string {
  return Object.hasOwn(aliases, mode) ? aliases[mode]! : mode
}

export function permissionArguments(mode: string | null, config: Config): string[] {
  if (mode === null) return []
  const tools = config.claude.allowed_tools
  return [
    ...(mode === 'allowedTools' && tools.length > 0 ? ['--allowedTools', ...tools] : []),
    '--permission-mode',
    claudeMode(mode),
  ]
}
