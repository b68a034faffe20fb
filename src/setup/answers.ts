import type { Shell } from '../cli/completion/shell-scripts.ts'
import { type Approve, approveModes } from '../config/approve-modes.ts'
import type { Config } from '../config/schema.ts'
import { usageError } from '../errors.ts'

export const notifications = ['message', 'bell', 'both', 'none'] as const
export type Notification = (typeof notifications)[number]

/** Everything that setup decides, before any of it is done. */
export interface Answers {
  /** A name of the table, `auto`, or null for the command of the user's own that is set already. */
  editor: string | null
  /** null: as Claude's own settings say. */
  permissionMode: string | null
  approve: Approve
  hotkey: string
  notify: Notification
  repo: string | null
  /** null: the repo is not asked about any more. */
  trust: boolean | null
  completion: Shell | null
}

/** What is set now: the starting point of every question. */
export function answersFrom(config: Config): Answers {
  return {
    editor: config.editor.command ? null : config.editor.name,
    permissionMode: config.claude.permission_mode ?? null,
    approve: config.approvals.mode,
    hotkey: config.tmux.prefix_key,
    notify: notificationFrom(config.notify),
    repo: null,
    trust: null,
    completion: null,
  }
}

function notificationFrom({ message, bell }: Config['notify']): Notification {
  if (message && bell) return 'both'
  if (message) return 'message'
  return bell ? 'bell' : 'none'
}

/** As they come from the command line. */
export interface Flags {
  editor?: string
  permissionMode?: string
  approve?: string
  hotkey?: string
  notify?: string
  repo?: string | boolean
  trust?: boolean
  completion?: string | boolean
}

export function refuseUnknown({ approve, notify }: Flags): void {
  refuse('--approve', approve, approveModes)
  refuse('--notify', notify, notifications)
}

export function refuse(flag: string, word: string | undefined, known: readonly string[]): void {
  if (word === undefined || known.includes(word)) return
  throw usageError(`${flag} ${JSON.stringify(word)} is not known`, `Use one of ${known.join(', ')}.`)
}
