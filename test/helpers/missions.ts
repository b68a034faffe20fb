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

/** A program on disk that a test can name. */
export function writeProgram(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

/** From now on missions of this sandbox run a Claude that only stays. */
export function useIdleClaude(box: Sandbox): void {
  const script = '[ "$1" = --version ] && echo 2.1.325 && exit\nexec sleep 1000'
  box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'claude'), script)])
}

/** The arguments of a program that starts a blank mission in its terminal. */
export const newMission = [agencScript, 'mission', 'new', '--blank']

/** Waits for a mission whose Claude runs; it is stopped before its terminal goes. */
export async function runningMission(box: Sandbox): Promise<MissionJson> {
  onTestFinished(() => void box.agenc(['mission', 'stop', '--all']))
  return waitFor('a running mission', () =>
    box.agencJson<MissionJson[]>(['mission', 'ls']).find(({ claude_pid }) => claude_pid !== null),
  )
}

/** Puts missions into the store, with a directory each, without running them. */
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
