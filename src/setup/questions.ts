import { installationFor, shellOf } from '../cli/completion/shell-scripts.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { listEditors } from '../editor/choose-editor.ts'
import { cleanText } from '../io/text.ts'
import { approveMeanings, permissionModes } from '../mission/mode-meanings.ts'
import type { Answers, Notification } from './answers.ts'
import { askYesNo, choose } from './ask.ts'

export function askEditor(context: Context, config: Config, now: Answers['editor']): Promise<string | null> {
  const listed = listEditors(config.editor, { platform: process.platform, env: context.env })
  const rows = listed.filter(({ kind }) => kind !== 'own').toSorted(installedFirst)
  const own = config.editor.command?.[0]
  return choose(context, {
    message: 'Editor',
    why: "Opened at a mission's directory by 'agenc mission open' and its key.",
    options: [
      ...(own ? [{ value: null, name: `${cleanText(own)} (your own command)` }] : []),
      { value: 'auto', name: 'auto', note: 'the first that is installed' },
      ...rows.map(({ name, installed }) => ({
        value: name,
        name,
        ...(installed ? { note: 'installed' } : {}),
      })),
    ],
    fallback: now,
  })
}

function installedFirst(a: { installed: boolean }, b: { installed: boolean }): number {
  return Number(b.installed) - Number(a.installed)
}

export function askPermissionMode(context: Context, now: string | null): Promise<string | null> {
  const known = permissionModes.map(({ name, meaning, isDangerous }) => ({
    value: name,
    name,
    note: meaning,
    about: isDangerous ? context.err.paint('red', meaning) : meaning,
  }))
  const isOther = now !== null && !permissionModes.some(({ name }) => name === now)
  return choose<string | null>(context, {
    message: 'Permission mode',
    why: 'What Claude may do unasked in missions that do not say otherwise.',
    options: [
      {
        value: null,
        name: 'as in Claude',
        note: 'its own settings decide',
        about: 'as if you started it by hand',
      },
      ...(isOther ? [{ value: now, name: cleanText(now), about: 'what is set now' }] : []),
      ...known,
    ],
    fallback: now,
  })
}

export function askApprovals(context: Context, now: Answers['approve']): Promise<Answers['approve']> {
  return choose(context, {
    message: 'Approvals',
    why: "Who answers when Claude asks for permission. More: 'agenc help approvals'.",
    options: approveMeanings.map(({ name, meaning }) => ({
      value: name,
      name,
      note: meaning,
      about: meaning,
    })),
    fallback: now,
  })
}

export function askNotifications(context: Context, now: Notification): Promise<Notification> {
  return choose(context, {
    message: 'Notifications',
    why: 'When a mission that you are not looking at waits for you, or is done.',
    options: [
      { value: 'message', name: 'message', note: 'a line at the bottom of tmux' },
      { value: 'bell', name: 'bell', note: "the terminal's bell" },
      { value: 'both', name: 'both', note: 'message and bell' },
      { value: 'none', name: 'none', note: 'the status line alone shows it' },
    ],
    fallback: now,
  })
}

export async function askCompletion(context: Context): Promise<Answers['completion']> {
  const shell = shellOf(context.env)
  if (shell === null || installationFor(context, shell).isInstalled) return null
  const isWanted = await askYesNo(context, {
    message: `Completion for ${shell}?`,
    why: `Tab then completes commands, missions and repos. Writes ${installationFor(context, shell).path}.`,
    fallback: true,
  })
  return isWanted ? shell : null
}
