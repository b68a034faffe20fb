import { type Approve, approveModes } from '../config/approve-modes.ts'

export interface ModeMeaning {
  name: string
  meaning: string
  /** Claude acts without asking. */
  isDangerous?: boolean
}

/** The modes that Claude Code has today. Any other word is passed to Claude unchanged. */
export const permissionModes: readonly ModeMeaning[] = [
  { name: 'default', meaning: 'asks before editing a file or running a command' },
  { name: 'acceptEdits', meaning: 'edits files without asking; asks before running a command' },
  { name: 'plan', meaning: 'only reads and plans; changes nothing until you accept the plan' },
  { name: 'auto', meaning: 'Claude decides which steps need your approval' },
  { name: 'dontAsk', meaning: 'never asks; refuses everything its settings do not allow' },
  {
    name: 'bypassPermissions',
    meaning: 'DANGEROUS: never asks; only for a machine you can afford to lose',
    isDangerous: true,
  },
]

export const modeAliases: readonly ModeMeaning[] = [
  { name: 'manual', meaning: 'the same as default' },
  { name: 'allowedTools', meaning: 'like default, but the tools in claude.allowed_tools are allowed' },
  { name: 'auto-accept', meaning: 'DANGEROUS: the same as bypassPermissions', isDangerous: true },
]

const meaningOfApprove: Record<Approve, string> = {
  ask: 'you answer every permission request yourself',
  rules: 'your rules answer the requests they match, you answer the rest',
  all: 'everything is allowed unless a rule denies it or says to ask you',
}

export const approveMeanings = approveModes.map(name => ({ name, meaning: meaningOfApprove[name] }))
