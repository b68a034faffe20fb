import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { insertMission, type MissionChange, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { type MissionId, newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { aMission } from './a-mission.ts'
import { agencScript, type Sandbox } from './cli.ts'
import { waitFor } from './wait.ts'

/** Writes a shell script that can be executed, and returns its path. */
export function writeProgram(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Makes missions of this sandbox run a Claude that does nothing and does not exit. */
export function useIdleClaude(box: Sandbox): void {
  const script = '[ "$1" = --version ] && echo 2.1.325 && exit\nexec sleep 1000'
  box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'claude'), script)])
}

/** Arguments for Node that start a blank mission in the terminal. */
export const newMission = [agencScript, 'mission', 'new', '--blank']

/** Waits for a mission whose Claude is running. Stops it when the test ends, before its terminal closes. */
export async function runningMission(box: Sandbox): Promise<MissionJson> {
  onTestFinished(() => void box.agenc(['mission', 'stop', '--all']))
  return waitFor('a running mission', () =>
    box.agencJson<MissionJson[]>(['mission', 'ls']).find(({ claude_pid }) => claude_pid !== null),
  )
}

/** Stores missions, each with its directory, without running them. */
export async function storeMissions(box: Sandbox, missions: readonly MissionChange[]): Promise<MissionId[]> {
  mkdirSync(box.agencHome, { recursive: true, mode: 0o700 })
  const paths = pathsAt(box.agencHome)
  const db = await openStore(paths.database)
  const ids = missions.map((change, index) => {
    const id = newMissionId()
    const created_at = new Date(Date.UTC(2030, 0, 1) - index * 1000).toISOString()
    insertMission(db, aMission({ id, created_at }))
    updateMission(db, id, change)
    mkdirSync(paths.mission(id).agent, { recursive: true, mode: 0o700 })
    return id
  })
  db.close()
  return ids
}
