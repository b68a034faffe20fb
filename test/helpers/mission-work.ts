import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { RecordsBox } from './records.ts'

export const library = (box: RecordsBox) => join(box.agencHome, 'repos/local/src/app')
export const inLibrary = (box: RecordsBox, ...args: string[]) =>
  box.bench.git('.', '--git-dir', library(box), ...args)
export const kept = (box: RecordsBox) =>
  inLibrary(box, 'for-each-ref', '--format=%(refname)', 'refs/agenc').split('\n').filter(Boolean)
export const gitIn = (box: RecordsBox, { dir }: MissionJson) => {
  const directory = dir.slice(box.root.length)
  return (...args: string[]) => box.bench.git(directory, ...args)
}

/** Two commits on a branch of its own, then an uncommitted, a deleted and an untracked file. */
export async function missionWithWork(box: RecordsBox, ...args: string[]): Promise<MissionJson> {
  const mission = await box.create('app', ...args)
  const git = gitIn(box, mission)
  git('switch', '--quiet', '--create', 'feature/x')
  writeFileSync(join(mission.dir, 'a.txt'), 'one\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'one')
  writeFileSync(join(mission.dir, 'b.txt'), 'two\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'two')
  writeFileSync(join(mission.dir, 'a.txt'), 'changed\n')
  rmSync(join(mission.dir, 'b.txt'))
  mkdirSync(join(mission.dir, 'neu er'))
  writeFileSync(join(mission.dir, 'neu er', 'ü.txt'), 'untracked\n')
  writeFileSync(join(mission.dir, 'ignored'), 'not kept\n')
  return mission
}

export const remove = (box: RecordsBox, mission: MissionJson, ...args: string[]) =>
  box.agenc(['mission', 'rm', mission.id, '--yes', '--force', ...args])

export async function resume(box: RecordsBox, word: string): Promise<string> {
  const terminal = box.terminal(['mission', 'resume', word])
  await terminal.exited
  return terminal.screen()
}
