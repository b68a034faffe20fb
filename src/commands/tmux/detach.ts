import { defineCommand } from '../../cli/command.ts'
import { currentWindow, sessionTarget } from '../../tmux/current-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { askForSession } from '../../tmux/session.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'

export default defineCommand<Record<string, never>>({
  description:
    'Leave the agenc session. Its missions keep running. Outside the session, this detaches every terminal that shows it.',
  examples: ['agenc tmux detach'],
  async run(context) {
    const place = currentWindow(context)
    const tmux = place?.tmux ?? tmuxOf(context)
    const state = askForSession(tmux)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') context.err.line('There is no agenc session.')
    // Without a client here, tmux would detach one of another session.
    else if (state.clients.length === 0) context.err.line('No client is attached to the agenc session.')
    else tmux.tell(['detach-client', ...(place ? [] : ['-s', sessionTarget])])
    return 0
  },
})
