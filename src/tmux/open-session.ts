import type { Context } from '../context.ts'
import { refuseErrors, restoringScript } from './keys/inject.ts'
import { isKeyProblem, keyQuestions, keysIn } from './keys/read-keys.ts'
import { sendingBack } from './return-clients.ts'
import { type SessionState, serversOf, sessionQuestions, stateIn } from './session.ts'
import { stopMarking } from './session-closed-marker.ts'
import { type Sourced, source } from './source-script.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { line } from './tmux-script.ts'

/** The agenc session, with the call that told of it still open. */
export interface OpenSession {
  tmux: Tmux
  state: SessionState
  /**
   * Before its missions end, since it may end with the last of them: clients go back to where they came from, and
   * everything that is not the session's own is put back as it was. Once, in the same call.
   */
  release(): Promise<void>
}

const keysMark = 'keys='

/** In one argument, since tmux starts a server for whoever asks it directly for its keys. */
const askForKeys: TmuxCommand = [
  'if-shell',
  '-F',
  '1',
  [line(['display-message', '-p', keysMark]), ...keyQuestions].join(' ; '),
]

/** With everything that has to be known to end it. */
export async function openSession(context: Context): Promise<OpenSession> {
  const [recorded, own] = serversOf(context)
  const session = await openSessionAt(context, recorded)
  return session.state.kind === 'none' && own ? openSessionAt(context, own) : session
}

async function openSessionAt({ exec, env }: Context, tmux: Tmux): Promise<OpenSession> {
  const { answer, goOnWith } = await tmux.openCall(...sessionQuestions, askForKeys)
  const lines = answer.kind === 'ok' ? answer.lines : []
  const mark = lines.indexOf(keysMark)
  const state = stateIn(answer.kind === 'ok' ? { ...answer, lines: lines.slice(0, mark) } : answer)
  return {
    tmux,
    state,
    release: async () => {
      if (state.kind !== 'there') return
      const restoring = restoringScript(keysIn(lines.slice(mark + 1)))
      const script = [
        ...state.clients.map(client => line(sendingBack(client))),
        ...restoring,
        line(stopMarking),
      ]
      // Somebody may have ended the call, but not the server.
      const done = (await goOnWith(script)) ?? source({ exec, env, tmux }, script)
      refuseErrors(done ? keyErrors(done) : [])
    },
  }
}

/** Not that a client came from nowhere else, or that it, the session or the server has just ended. */
function keyErrors({ errors }: Sourced): string[] {
  return errors.filter(
    text => isKeyProblem(text) && !/^(can't find|no current target|server exited)/.test(text),
  )
}
