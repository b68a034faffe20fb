import { loadConfig } from '../../config/file.ts'
import { AgencError } from '../../errors.ts'
import { configureSession } from '../../tmux/configure.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { askForSession } from '../../tmux/session.ts'
import { defineCommand } from '../command.ts'

export default defineCommand<Record<string, never>>({
  description: 'Bind the keys and set the looks of the agenc session again, after a change of the settings.',
  examples: ['agenc tmux inject-config'],
  run(context) {
    const tmux = tmuxOf(context)
    if (askForSession(tmux).kind !== 'there') {
      throw new AgencError('there is no agenc session', "Start it with 'agenc tmux attach'.")
    }
    configureSession(context, tmux, loadConfig(context.paths.config).tmux)
    return 0
  },
})
