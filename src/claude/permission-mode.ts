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

const bypassFlag = '--dangerously-skip-permissions'
const bypassFlags = [bypassFlag, '--allow-dangerously-skip-permissions']

/** Whether Claude asks for no permissions in this mode. */
export function isBypass(mode: string | null): boolean {
  return mode !== null && claudeMode(mode) === 'bypassPermissions'
}

/** Whether a Claude that is started like this asks for no permissions. */
export function startsInBypass(mode: string | null, args: readonly string[]): boolean {
  return isBypass(mode) || args.includes(bypassFlag)
}

/** Claude would refuse too, but only after the mission was created and its window opened. */
export function refuseBypassAsRoot(
  mode: string | null,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): void {
  const flag = args.find(arg => bypassFlags.includes(arg))
  if ((flag === undefined && !isBypass(mode)) || process.getuid?.() !== 0 || env.IS_SANDBOX === '1') return
  throw new AgencError(
    `Claude refuses ${flag ?? 'the permission mode bypassPermissions'} when it runs as root`,
    'Run agenc as another user, choose another mode, or in a container set IS_SANDBOX=1.',
  )
}
