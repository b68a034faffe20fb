import { AgencError } from '../errors.ts'

const aliases: Record<string, string> = {
  manual: 'default',
  'auto-accept': 'bypassPermissions',
  allowedTools: 'default',
}

/** Translates agenc's aliases. Unknown words go to Claude unchanged, because new versions bring new modes. */
export function claudeMode(mode: string): string {
  return Object.hasOwn(aliases, mode) ? aliases[mode]! : mode
}

export function permissionArguments(mode: string | null, tools: readonly string[]): string[] {
  if (mode === null) return []
  return [
    ...(mode === 'allowedTools' && tools.length > 0 ? ['--allowedTools', ...tools] : []),
    '--permission-mode',
    claudeMode(mode),
  ]
}

const bypassFlags = ['--dangerously-skip-permissions', '--allow-dangerously-skip-permissions']

/** Claude would refuse too, but only after the mission was created and its window opened. */
export function refuseBypassAsRoot(
  mode: string | null,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): void {
  const flag = args.find(arg => bypassFlags.includes(arg))
  const isBypass = flag !== undefined || (mode !== null && claudeMode(mode) === 'bypassPermissions')
  if (!isBypass || process.getuid?.() !== 0 || env.IS_SANDBOX === '1') return
  throw new AgencError(
    `Claude refuses ${flag ?? 'the permission mode bypassPermissions'} when it runs as root`,
    'Run agenc as another user, choose another mode, or in a container set IS_SANDBOX=1.',
  )
}
