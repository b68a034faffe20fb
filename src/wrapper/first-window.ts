import type { Context } from '../context.ts'
import { ExitCode, isCancelled } from '../errors.ts'
import type { Place } from '../tmux/current-window.ts'
import { sendClientsBack } from '../tmux/return-clients.ts'

/** What leads to the first mission. Without one the window closes, and with it the session. */
export async function inFirstWindow(
  context: Context,
  { tmux }: Place,
  start: () => Promise<number>,
): Promise<number> {
  try {
    return await start()
  } catch (error) {
    const exitCode = isCancelled(error) ? ExitCode.cancelled : await untilRead(context, error)
    sendClientsBack(tmux, context.env.TMUX_PANE ?? '')
    return exitCode
  }
}

async function untilRead(context: Context, error: unknown): Promise<number> {
  const { showUntilRead } = await import('../surface/error-screen.ts')
  return showUntilRead(context, error)
}
