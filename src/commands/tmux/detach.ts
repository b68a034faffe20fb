import { placeInSession, sessionTarget } from '../../tmux/place.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { askForSession, cannotBeAsked } from '../../tmux/session.ts'
import { defineCommand } from '../command.ts'

export default defineCommand<Record<string, never>>({
  description: 'Leave the agenc session; everything in it goes on. From outside: whoever is attached to it.',
  examples: ['agenc tmux detach'],
  async run(context) {
    const place = await placeInSession(context)
    if (place) place.tmux.tell(['detach-client'])
    else {
      const tmux = tmuxOf(context)
      const state = askForSession(tmux)
      if (state.kind === 'unknown') throw cannotBeAsked(state)
      if (state.kind === 'there') tmux.ask(['detach-client', '-s', sessionTarget])
      else context.err.line('There is no agenc session.')
    }
    return 0
  },
})
