import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../../scripts/generate/files.ts'
import type { ConversationEntry as PrintedEntry } from '../../src/claude/conversation-entry.ts'
import type { ForeachJson } from '../../src/commands/mission/new-foreach.ts'
import type { WaitedJson } from '../../src/commands/mission/wait.ts'
import type { StatusJson } from '../../src/commands/status.ts'
import type { LoopJson } from '../../src/loop/loop-json.ts'
import type { EventJson } from '../../src/mission/event-feed.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { RepoJson } from '../../src/repo/catalogue.ts'
import type {
  ConversationEntry,
  Event,
  ForeachOutcome,
  Loop,
  Mission,
  Repo,
  Status,
  WaitedMission,
} from '../../types/index.d.ts'
import { projectRoot } from '../helpers/cli.ts'

test("generated files match the code; if not, run 'npm run generate'", async () => {
  const files = await generatedFiles()
  expect(Object.keys(files).length).toBeGreaterThan(5)
  for (const [path, text] of Object.entries(files)) {
    expect(existsSync(join(projectRoot, path)), path).toBe(true)
    expect(readFileSync(join(projectRoot, path), 'utf8'), path).toBe(text)
  }
  const pages = readdirSync(join(projectRoot, 'docs/commands')).map(name => `docs/commands/${name}`)
  expect(pages.filter(page => !(page in files))).toEqual([])
})

type SameKeys<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : false

/** The type check of this file is the test. At run time there is nothing to check. */
test('the published types match the printed JSON', () => {
  const mission: Mission = {} as MissionJson
  const status: Status = {} as StatusJson
  const repo: Repo = {} as RepoJson
  const entry: ConversationEntry = {} as PrintedEntry
  const loop: Loop = {} as LoopJson
  const outcome: ForeachOutcome = {} as ForeachJson
  const event: Event = {} as EventJson
  const waited: WaitedMission = {} as WaitedJson
  const keys: [
    SameKeys<Mission, MissionJson>,
    SameKeys<Mission['pending'][number], MissionJson['pending'][number]>,
    SameKeys<Status['missions'][number], StatusJson['missions'][number]>,
    SameKeys<Status['summary'], StatusJson['summary']>,
    SameKeys<Repo, RepoJson>,
    SameKeys<ConversationEntry, PrintedEntry>,
    SameKeys<Loop, LoopJson>,
    SameKeys<Loop['rounds'][number], LoopJson['rounds'][number]>,
    SameKeys<ForeachOutcome, ForeachJson>,
    SameKeys<Event, EventJson>,
    SameKeys<WaitedMission, WaitedJson>,
  ] = [true, true, true, true, true, true, true, true, true, true, true]
  expect([mission, status, repo, entry, loop, outcome, event, waited, keys]).toHaveLength(9)
})
