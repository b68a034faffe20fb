import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { type MissionId, newMissionId } from '../../src/mission-id.ts'
import { aMission } from './a-mission.ts'
import { agencScript, type Ran, type Sandbox, sandbox } from './cli.ts'
import { type GitBench, gitBench } from './git.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

export interface RecordsBox extends Sandbox {
  bench: GitBench
  terminal(args: string[], options?: { env?: NodeJS.ProcessEnv; columns?: number; rows?: number }): Terminal
  /** Runs `mission new …` in a terminal until it exits, and returns the mission. */
  create(...args: string[]): Promise<MissionJson>
  missions(...args: string[]): MissionJson[]
}

/** A sandbox with one repo, `local/src/app`, and a Claude that exits at once. `prepare` runs before anything is made. */
export function recordsBox(prepare: (box: Sandbox) => void = () => {}): RecordsBox {
  const box = sandbox()
  prepare(box)
  const claude = join(box.root, 'claude')
  writeFileSync(claude, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  mkdirSync(box.agencHome, { recursive: true, mode: 0o700 })
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify({ claude: { command: claude } }))
  const bench = gitBench(box.root, box.env)
  bench.repo('src/app', { 'README.md': 'hello\n', '.gitignore': 'ignored\n' })
  expect(box.agenc(['repo', 'add', './src/app', '--no-trust']).exitCode).toBe(0)
  const terminal: RecordsBox['terminal'] = (args, { env = {}, ...size } = {}) =>
    openTerminal(process.execPath, [agencScript, ...args], {
      env: { ...box.env, ...env },
      cwd: box.root,
      columns: 300,
      ...size,
    })
  return {
    ...box,
    bench,
    terminal,
    missions: (...args) => box.agencJson(['mission', 'ls', ...args]),
    create: async (...args) => {
      const started = terminal(['mission', 'new', ...args])
      const exitCode = await started.exited
      if (exitCode !== 0) throw new Error(`mission new ${args.join(' ')} → ${exitCode}\n${started.screen()}`)
      const [id] = await waitFor('the id of the mission', () =>
        /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(started.raw()),
      )
      return box.agencJson(['mission', 'show', id!])
    },
  }
}

export function expectUsageError({ exitCode, stdout, stderr }: Ran, message: string | RegExp): void {
  expect(stderr).toMatch(message)
  expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' })
}

/** Stores missions that were never started, each with an empty directory. The last one is the most recent. */
export async function storeMissions({ agencHome }: Sandbox, names: readonly string[]): Promise<MissionId[]> {
  const db = await openStore(join(agencHome, 'database.sqlite'))
  const ids = names.map((name, index) => {
    const id = newMissionId()
    mkdirSync(join(agencHome, 'missions', id, 'agent'), { recursive: true })
    const created_at = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString()
    insertMission(db, aMission({ id, name, repo: 'local/src/app', created_at }))
    return id
  })
  db.close()
  return ids
}
