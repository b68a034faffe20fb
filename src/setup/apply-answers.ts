import type { Change } from '../config/change-settings.ts'
import { defaultConfig } from '../config/parse.ts'
import type { Config } from '../config/schema.ts'
import type { Answers } from './answers.ts'

/** Only what is different from now; what is the default again goes out of the file. */
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
    .map(([key, wish, , standard]) => [key, wish === standard ? undefined : wish] as const)
}
