import { defineCommand } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import { AgencError } from '../../errors.ts'
import { configureSession } from '../../tmux/configure.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { askForSession, contextOfSession } from '../../tmux/session.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'

export default defineCommand<Record<string, never>>({
  description: 'Apply the key bindings and styles from the settings to the agenc session again.',
  examples: ['agenc tmux inject-config'],
  async run(context) {
    const tmux = tmuxOf(context)
    const state = askForSession(tmux)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') {
      throw new AgencError('there is no agenc session', "Start it with 'agenc tmux attach'.")
    }
    const session = contextOfSession(context, state)
    configureSession(session, tmux, (await readConfig(session.paths)).tmux)
    return 0
  },
})
