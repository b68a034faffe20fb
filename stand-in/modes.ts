/** As hooks and transcripts name them; on the command line `manual` means `default`. */
export type PermissionMode = 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan'

export const modeChoices = ['acceptEdits', 'auto', 'bypassPermissions', 'manual', 'dontAsk', 'plan'] as const

export function modeFromWord(word: string): PermissionMode | undefined {
  if (word === 'manual' || word === 'default') return 'default'
  return modeChoices.find(choice => choice === word) as PermissionMode | undefined
}

/** The ring that Shift+Tab walks. */
export function nextMode(mode: PermissionMode, bypassAllowed: boolean): PermissionMode {
  const ring: PermissionMode[] = bypassAllowed
    ? ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto']
    : ['default', 'acceptEdits', 'plan', 'auto']
  return ring[(ring.indexOf(mode) + 1) % ring.length] ?? 'default'
}

const labels: Record<PermissionMode, string> = {
  acceptEdits: '⏵⏵ accept edits on',
  auto: '⏵⏵ auto mode on',
  bypassPermissions: '⏵⏵ bypass permissions on',
  default: '⏸ manual mode on',
  dontAsk: "⏵⏵ don't ask on",
  plan: '⏸ plan mode on',
}

export function modeLabel(mode: PermissionMode): string {
  return labels[mode]
}
