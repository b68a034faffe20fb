import { AgencError } from '../errors.ts'
import { claudeMode } from './permission-mode.ts'

const bypassFlags = ['--dangerously-skip-permissions', '--allow-dangerously-skip-permissions']

/** Claude itself would say so too, but only when everything else was done. */
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
