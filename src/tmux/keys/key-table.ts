import type { Config } from '../../config/schema.ts'
import type { TmuxCommand } from '../tmux.ts'
import {
  confirmed,
  itsMission,
  menu,
  menuOfMission,
  missionInView,
  popup,
  popupOfMission,
  quietly,
  withMission,
} from './key-actions.ts'

/** The key table that the prefix key opens. */
export const tableName = 'agenc'

type Keys = Config['tmux']['keys']
export type KeyName = keyof Keys

export interface KeyBinding {
  /** The setting that names the key. */
  setting: string
  key: string
  note: string
  command: TmuxCommand
}

/** The programs that keys start: absolute paths and first arguments. */
export interface KeyPrograms {
  agenc: readonly string[]
  /** Used instead of `agenc tmux switch` and `agenc mission new`. */
  switch?: readonly string[]
  new?: readonly string[]
  /** Shows what a mission has changed. Takes the mission, then the command of agenc. */
  diff?: readonly string[]
  tmux?: string
}

const notes: Record<KeyName, string> = {
  new: 'New mission',
  switch: 'Switch to a mission',
  resume: 'Resume a mission',
  next: 'Next waiting mission',
  fork: 'Fork this mission',
  stop: 'Stop this mission',
  editor: 'Open the editor',
  shell: 'Open a shell here',
  diff: 'Show the changes',
  review: 'Review the changes',
  land: 'Land the changes',
  hold: 'Hold all approvals, or release them',
  detach: 'Detach',
  help: 'Help',
}

/** For the status line. The names of the settings are the words. */
export function keyHints(keys: Keys): { key: string; word: string }[] {
  return Object.keys(notes).map(name => ({ key: keys[name as KeyName], word: name }))
}

/** The bindings of the key table `agenc`. */
export function keyTable(keys: Keys, programs: KeyPrograms): KeyBinding[] {
  const commands = commandsOf(programs)
  const binding = (name: KeyName, command: TmuxCommand) => ({
    setting: `tmux.keys.${name}`,
    key: keys[name],
    note: notes[name],
    command,
  })
  const bindings = Object.entries(commands).map(([name, command]) => binding(name as KeyName, command))
  const entries = bindings.map(({ note, key, command }) => ({ name: note, key, command }))
  return [...bindings, binding('help', menu('agenc', entries))]
}

function commandsOf(programs: KeyPrograms): Record<Exclude<KeyName, 'help'>, TmuxCommand> {
  const { agenc, tmux = 'tmux' } = programs
  return {
    new: popup(programs.new ?? [...agenc, 'mission', 'new']),
    switch: popup(programs.switch ?? [...agenc, 'tmux', 'switch']),
    resume: popup([...agenc, 'mission', 'resume']),
    next: quietly(tmux, [...agenc, 'tmux', 'next']),
    fork: withMission(quietly(tmux, [...agenc, 'mission', 'fork', missionInView])),
    stop: withMission(confirmed('Stop mission', quietly(tmux, [...agenc, 'mission', 'stop', missionInView]))),
    editor: withMission(
      quietly(tmux, [...agenc, 'mission', 'open', missionInView], {
        keepsEnvironment: true,
        firstLineOnly: true,
      }),
    ),
    // The session's default command finds the mission's directory.
    shell: withMission(['new-window', '-a']),
    diff: withMission(popupOfMission(diffOf(programs))),
    review: withMission(popupOfMission([...agenc, 'mission', 'review', itsMission], { staysOpen: true })),
    land: withMission(landMenu(programs)),
    hold: quietly(tmux, [...agenc, 'hold', '--toggle']),
    detach: ['detach-client'],
  }
}

function diffOf({ agenc, diff }: KeyPrograms): string[] {
  return diff ? [...diff, itsMission, ...agenc] : [...agenc, 'mission', 'diff', itsMission]
}

/** Ways to get the work of a mission out. */
function landMenu(programs: KeyPrograms): TmuxCommand {
  const entry = (name: string, key: string, ...words: string[]) => ({
    name,
    key,
    command: popup([...programs.agenc, 'mission', ...words], { staysOpen: true }),
  })
  return menuOfMission('Land', [
    { name: 'Show the changes', key: 'v', command: popup(diffOf(programs)) },
    entry('Pull into your checkout', 'l', 'pull', itsMission),
    entry('Pull as one commit', 's', 'pull', itsMission, '--squash'),
    entry('Push', 'p', 'push', itsMission),
    entry('Pull request', 'r', 'pr', itsMission),
    entry('Sync with its base', 'b', 'sync', itsMission),
    entry('Done', 'd', 'done', itsMission),
  ])
}
