import type { Config } from '../config/schema.ts'
import { listFirstPorts, type MissionRecord } from '../db/missions.ts'
import { isBlockFree, overlaps, unusedBlocks } from '../system/port-block.ts'
import { alertUser } from './before-claude.ts'
import type { Run } from './run-mission.ts'

/** Gives the mission ten ports for as long as it exists. If none are free, it starts without them. */
export async function givePorts(run: Run, mission: MissionRecord, config: Config): Promise<void> {
  const { err } = run.context
  const { first_port } = mission
  // A mission that was deleted and then resumed may have lost its ports to another one.
  if (first_port !== null && !overlaps(first_port, portsOfOthers(run))) return
  const from = config.missions.port_base
  if (await tryToGive(run, from)) return
  err.line(`agenc: there are no ten free ports from ${from} on, so this mission starts without ports.`)
  err.line('  To use others: agenc config set missions.port_base <port>')
  alertUser(run, mission, 'starts without ports, because none are free')
  if (first_port !== null) run.missions.change(run.id, { first_port: null })
}

async function tryToGive(run: Run, from: number): Promise<boolean> {
  const { id, missions, log } = run
  for (const first of unusedBlocks(from, () => portsOfOthers(run))) {
    try {
      if (!(await isBlockFree(first))) continue
    } catch (error) {
      log(`ports cannot be tried: ${String(error)}`)
      return false
    }
    // Another mission may have got the block during the trial.
    const isGiven = missions.write(writer => {
      if (overlaps(first, portsOfOthers(run))) return false
      writer.change(id, { first_port: first })
      return true
    })
    if (isGiven) return true
  }
  return false
}

function portsOfOthers({ db, id }: Run): number[] {
  return listFirstPorts(db, { except: id })
}
