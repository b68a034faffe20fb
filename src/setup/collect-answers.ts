import { isShell, shellNamed, shellOf } from '../cli/completion/shell-scripts.ts'
import type { Approve } from '../config/approve-modes.ts'
import { type Config, editorNames } from '../config/schema.ts'
import { type Context, isInteractive } from '../context.ts'
import { checkModeSetting } from '../mission/check-mode.ts'
import { userKey } from '../tmux/user-keys.ts'
import { type Answers, answersFrom, type Flags, type Notification, refuse, refuseUnknown } from './answers.ts'
import * as ask from './questions.ts'
import { askHotkey, askRepo, askTrust, sayWhatItHides } from './questions.ts'

/** Takes flags first, then asks the other questions if there is a terminal, and otherwise keeps the current settings. */
export async function collectAnswers(
  context: Context,
  config: Config,
  flags: Flags & { yes?: boolean },
  isLibraryEmpty: boolean,
): Promise<Answers> {
  const given = answersFromFlags(context, flags)
  const now = answersFrom(config)
  if (given.hotkey !== undefined) sayWhatItHides(context, config, given.hotkey)
  if (given.permissionMode && given.permissionMode !== now.permissionMode)
    await checkModeSetting(context, 'claude.permission_mode', given.permissionMode)
  if (flags.yes || !isInteractive(context)) return { ...now, ...given }
  const editor = given.editor ?? (await ask.askEditor(context, config, now.editor))
  const permissionMode = given.permissionMode ?? (await ask.askPermissionMode(context, now.permissionMode))
  const approve = given.approve ?? (await ask.askApprovals(context, now.approve))
  const hotkey = given.hotkey ?? (await askHotkey(context, now.hotkey)).trim()
  if (given.hotkey === undefined && hotkey !== now.hotkey) sayWhatItHides(context, config, hotkey)
  const notify = given.notify ?? (await ask.askNotifications(context, now.notify))
  const repo = given.repo === undefined ? await askRepo(context, isLibraryEmpty) : given.repo
  const trust = given.trust ?? (repo === null ? null : await askTrust(context))
  const completion = given.completion === undefined ? await ask.askCompletion(context) : given.completion
  return { editor, permissionMode, approve, hotkey, notify, repo, trust, completion }
}

function answersFromFlags(context: Context, flags: Flags): Partial<Answers> {
  refuseUnknown(flags)
  refuse('--editor', flags.editor, editorNames)
  // Throws if tmux does not know the key.
  if (flags.hotkey !== undefined) userKey(context, flags.hotkey)
  const { editor, permissionMode, hotkey, trust } = flags
  return defined({
    editor,
    permissionMode,
    hotkey,
    trust,
    approve: flags.approve as Approve | undefined,
    notify: flags.notify as Notification | undefined,
    repo: flags.repo === false ? null : (flags.repo as string | undefined),
    completion: shellFrom(context, flags.completion),
  })
}

function shellFrom(context: Context, word: string | boolean | undefined): Answers['completion'] | undefined {
  if (word === undefined) return undefined
  if (word === false) return null
  return typeof word === 'string' && isShell(word)
    ? word
    : word === true
      ? shellOf(context.env)
      : shellNamed(word)
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
