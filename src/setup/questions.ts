import { homedir } from 'node:os'
import { installationFor, shellOf } from '../cli/completion/shell-scripts.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { listEditors } from '../editor/choose-editor.ts'
import { isAgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { approveMeanings, permissionModes } from '../mission/mode-meanings.ts'
import { sourceOf } from '../repo/repo-source.ts'
import { userKey } from '../tmux/user-keys.ts'
import type { Answers, Notification } from './answers.ts'
import { nearbyRepos } from './nearby-repos.ts'
import { askText, askYesNo, choose, explain, type Option } from './prompts.ts'

export function askEditor(context: Context, config: Config, now: Answers['editor']): Promise<string | null> {
  const listed = listEditors(config.editor, { platform: process.platform, env: context.env })
  const rows = listed.filter(({ kind }) => kind !== 'own').toSorted(installedFirst)
  const own = config.editor.command?.[0]
  return choose(context, {
    message: 'Editor',
    why: "'agenc mission open', and its key, open this editor in a mission's directory.",
    options: [
      ...(own ? [{ value: null, name: `${cleanText(own)} (your own command)` }] : []),
      { value: 'auto', name: 'auto', note: 'the first one that is installed' },
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
    why: 'What Claude may do without asking, in missions that have no mode of their own.',
    options: [
      {
        value: null,
        name: 'as in Claude',
        note: 'its own settings decide',
        about: 'the same as starting Claude by hand',
      },
      ...(isOther ? [{ value: now, name: cleanText(now), about: 'the current setting' }] : []),
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
    why: 'How agenc tells you that a mission in another window waits for you or is done.',
    options: [
      { value: 'message', name: 'message', note: 'a tmux message' },
      { value: 'bell', name: 'bell', note: "the terminal's bell" },
      { value: 'both', name: 'both', note: 'message and bell' },
      { value: 'none', name: 'none', note: 'only the status line shows it' },
    ],
    fallback: now,
  })
}

export async function askCompletion(context: Context): Promise<Answers['completion']> {
  const shell = shellOf(context.env)
  if (shell === null || installationFor(context, shell).isInstalled) return null
  const isWanted = await askYesNo(context, {
    message: `Completion for ${shell}?`,
    why: `Lets Tab complete commands, missions and repos. Writes ${installationFor(context, shell).path}.`,
    fallback: true,
  })
  return isWanted ? shell : null
}

export function askHotkey(context: Context, now: string): Promise<string> {
  const clash = clashOf(context, now)
  return askText(
    context,
    {
      message: 'Key after the tmux prefix',
      why: `This key opens agenc's keys, in the agenc session only. ${clash}`,
      fallback: now,
    },
    key => keyProblem(context, key),
  )
}

/** Describes the key's current binding. */
export function clashOf(context: Context, key: string): string {
  const found = keyOrNull(context, key)
  if (found === null) return 'tmux did not say whether it is bound.'
  const pressed = `${found.prefix} ${key}`
  return found.binding === null
    ? `${pressed} is free in your tmux.`
    : `${pressed} is bound in your tmux (${cleanText(found.binding)}); other sessions keep that binding.`
}

/** Tells which binding of tmux the key hides in the agenc session, if any. */
export function sayWhatItHides(context: Context, { tmux: { keys } }: Config, key: string): void {
  const found = keyOrNull(context, key)
  if (found === null || found.binding === null) return
  const pressed = `${found.prefix} ${key}`
  const instead = /^detach/.test(found.binding) ? ` Detach there with ${pressed} ${keys.detach}.` : ''
  explain(
    context,
    `${pressed} now opens agenc's keys in the agenc session, and hides ${cleanText(found.binding)} there.${instead}`,
  )
}

function keyOrNull(context: Context, key: string) {
  try {
    return userKey(context, key)
  } catch {
    return null
  }
}

function keyProblem(context: Context, key: string): string | null {
  try {
    userKey(context, key.trim())
    return null
  } catch (error) {
    if (isAgencError(error)) return error.message
    throw error
  }
}

/** Returns null for no repo. */
export async function askRepo(context: Context, isFirst: boolean): Promise<string | null> {
  const { cwd, env, paths } = context
  const home = env.HOME || homedir()
  const found = nearbyRepos({ cwd, home, except: paths.home })
  const other = ''
  const options: Option<string | null>[] = [
    ...found.map(path => ({ value: path, name: cleanText(path.replace(`${home}/`, '~/')) })),
    { value: other, name: 'a different one', about: 'owner/name (GitHub), a git URL, or a path' },
    { value: null, name: 'none for now' },
  ]
  const chosen = await choose(context, {
    message: isFirst ? 'First repo' : 'Another repo',
    why: 'Missions work on copies from a library of repos. Your own directory stays untouched.',
    options,
    fallback: isFirst ? (found[0] ?? other) : null,
  })
  return chosen === other ? askOtherRepo(context) : chosen
}

async function askOtherRepo(context: Context): Promise<string | null> {
  const text = await askText(
    context,
    {
      message: 'Repo',
      why: 'owner/name (GitHub), a git URL, or a path. Leave empty for none.',
      fallback: '',
    },
    word => (word === '' ? null : repoProblem(context, word)),
  )
  return text || null
}

function repoProblem(context: Context, word: string): string | null {
  try {
    sourceOf(context, word, context.cwd)
    return null
  } catch (error) {
    if (isAgencError(error)) return error.message
    throw error
  }
}

export function askTrust(context: Context): Promise<boolean> {
  return askYesNo(context, {
    message: 'Do you trust this repo?',
    why: 'Its submodules are then fetched, and its filters and setup may run. Claude skips its trust question; permissions are still asked.',
    fallback: false,
  })
}
