import type { Context } from '../context.ts'
import type { MissionRecord, State, WaitingFor } from '../db/missions.ts'
import { displayName } from '../mission/naming.ts'

/** Starts the user's `notify.command`. It outlives this process, and its failure has no consequence. */
export function runNotifyCommand(
  { exec, env }: Context,
  [program, ...args]: readonly string[],
  mission: MissionRecord,
  { state, waitingFor }: { state: State | 'crashed'; waitingFor: WaitingFor | null },
): void {
  const child = exec.start(program!, args, {
    env: {
      ...env,
      AGENC_MISSION_UUID: mission.id,
      AGENC_MISSION_NAME: displayName(mission),
      AGENC_MISSION_REPO: mission.repo ?? '',
      AGENC_MISSION_STATE: state,
      AGENC_MISSION_WAITING_FOR: waitingFor ?? '',
    },
    stdio: 'ignore',
    detached: true,
  })
  child.on('error', () => {})
  child.unref()
}
