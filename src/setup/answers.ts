import type { Shell } from '../cli/completion/shell-scripts.ts'
import { type Approve, approveModes } from '../config/approve-modes.ts'
import { defaultConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import { settingNamed } from '../config/settings.ts'
import type { Change } from '../config/write.ts'
import { usageError } from '../errors.ts'

export const notifications = ['message', 'bell', 'both', 'none'] as const
export type Notification = (typeof notifications)[number]

/** Everything that setup decides before it changes anything. */
export interface Answers {
  /** A known editor, `auto`, or null to keep the user's own editor.command. */
  editor: string | null
  /** Null to let Claude's own settings decide. */
  permissionMode: string | null
  approve: Approve
  hotkey: string
  notify: Notification
  repo: string | null
  /** Null if there is no repo to decide about. */
  trust: boolean | null
  completion: Shell | null
}

/** The current settings, which are the defaults of the questions. */
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

/** The answers given on the command line. */
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
  throw usageError(`${flag} does not take ${JSON.stringify(word)}`, `Use one of ${known.join(', ')}.`)
}

/** The settings that differ from the current ones. A setting that returns to its default is removed from the file. */
export function changesFor(answers: Answers, config: Config): Change[] {
  const { editor, permissionMode, approve, hotkey, notify } = answers
  const wishes: [key: string, wish: unknown, now: unknown, standard: unknown][] = [
    ['claude.permission_mode', permissionMode ?? undefined, config.claude.permission_mode, undefined],
    ['approvals.mode', approve, config.approvals.mode, defaultConfig.approvals.mode],
    ['tmux.prefix_key', hotkey, config.tmux.prefix_key, defaultConfig.tmux.prefix_key],
    [
      'notify.message',
      notify === 'message' || notify === 'both',
      config.notify.message,
      defaultConfig.notify.message,
    ],
    ['notify.bell', notify === 'bell' || notify === 'both', config.notify.bell, defaultConfig.notify.bell],
  ]
  if (editor !== null) {
    wishes.push(['editor.name', editor, config.editor.name, defaultConfig.editor.name])
    wishes.push(['editor.command', undefined, config.editor.command, undefined])
  }
  return wishes
    .filter(([, wish, now]) => wish !== now)
    .map(([key, wish, , standard]) => [settingNamed(key), wish === standard ? undefined : wish])
}
