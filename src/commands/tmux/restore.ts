import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { contextOfSession, findSession, refreshEnvironment } from '../../tmux/session.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { requireTmux } from '../../tmux/tmux-version.ts'
import { restoreAll } from '../../wrapper/restore-missions.ts'

export default defineCommand<{ json?: boolean }>({
  description:
    "Reopen a window, with the conversation, for every mission that was running when tmux ended or the machine went down, or that the last 'agenc tmux kill' ended.",
  options: [quietOption, jsonOption],
  examples: ['agenc tmux restore'],
  async run(context, { json }) {
    requireTmux(context.exec, context.env)
    const { tmux, state } = findSession(context)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    const session = contextOfSession(context, state)
    if (state.kind === 'there') refreshEnvironment(context, tmux)
    const results = await withStore(session, db => restoreAll(session, db, tmux))
    if (json) context.out.line(JSON.stringify(results))
    else if (results.length === 0) context.err.line('There is nothing to restore.')
    return results.some(({ restored }) => !restored) ? 1 : 0
  },
})
