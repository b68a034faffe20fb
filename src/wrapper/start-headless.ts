import { closeSync, openSync } from 'node:fs'
import { withoutSessionVariables } from '../claude/claude-environment.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { startDirectory } from '../mission/mission-directory.ts'
import { whyNotStarted } from '../system/runner.ts'
import { wrapperEnvironment } from './mission-environment.ts'
import { startReserved } from './start-reserved.ts'

/** Variables of the caller's own window. */
const ofWindow = ['TMUX', 'TMUX_PANE', 'AGENC_TMUX', 'AGENC_PARENT_WINDOW']

/**
 * Starts the wrapper of a mission without a terminal, in a session of its own: it outlives this process, its terminal and
 * tmux. `prepare` runs once no other process can start the mission.
 */
export async function startHeadless(
  context: Context,
  db: Database,
  mission: MissionRecord,
  prepare: () => void = () => {},
): Promise<void> {
  await startReserved(context, db, mission, command => {
    prepare()
    return startWrapper(context, mission, command)
  })
}

function startWrapper(
  context: Context,
  mission: MissionRecord,
  [program, ...args]: readonly string[],
): Promise<number> {
  const { exec, env, paths } = context
  const kept = Object.entries(withoutSessionVariables(env)).filter(([name]) => !ofWindow.includes(name))
  // An error that ends the wrapper is for the same file as its other messages.
  const log = openSync(paths.mission(mission.id).wrapperLog, 'a', 0o600)
  try {
    const wrapper = exec.start(program!, args, {
      detached: true,
      stdio: ['ignore', 'ignore', log],
      cwd: startDirectory(paths, mission),
      env: { ...Object.fromEntries(kept), ...wrapperEnvironment(mission, null) },
    })
    return new Promise((resolve, reject) => {
      wrapper.once('error', error => reject(new AgencError(`cannot start agenc: ${whyNotStarted(error)}`)))
      wrapper.once('spawn', () => {
        wrapper.unref()
        resolve(wrapper.pid!)
      })
    })
  } finally {
    closeSync(log)
  }
}
