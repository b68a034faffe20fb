import { type Approve, approveModes } from '../config/approve-modes.ts'

export interface ModeMeaning {
  name: string
  meaning: string
  /** Nobody is asked before anything is done. */
  isDangerous?: boolean
}

/** The modes that Claude Code has today; any other word is handed to it as given. */
export const permissionModes: readonly ModeMeaning[] = [
  { name: 'default', meaning: 'asks before it edits a file or runs a command' },
  { name: 'acceptEdits', meaning: 'edits files unasked, asks before it runs a command' },
  { name: 'plan', meaning: 'reads and makes a plan; changes nothing until you accept it' },
  { name: 'auto', meaning: "Claude's own check decides which steps need you" },
  { name: 'dontAsk', meaning: 'never asks: what is not allowed in its settings is refused' },
  {
    name: 'bypassPermissions',
    meaning: 'DANGEROUS: does anything unasked; only for a machine you can lose',
    isDangerous: true,
  },
]

export const modeAliases: readonly ModeMeaning[] = [
  { name: 'manual', meaning: 'the same as default' },
  { name: 'allowedTools', meaning: 'default, with the tools of claude.allowed_tools let through' },
  { name: 'auto-accept', meaning: 'DANGEROUS: the same as bypassPermissions', isDangerous: true },
]

const meaningOfApprove: Record<Approve, string> = {
  ask: 'you answer every permission request yourself',
  rules: 'your rules answer the requests they match, you answer the rest',
  all: 'everything is allowed unless a rule denies it or says to ask you',
}

export const approveMeanings = approveModes.map(name => ({ name, meaning: meaningOfApprove[name] }))
