import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AgentStatus, ReplyChannel, Report } from '../../src/claude/agent-report.ts'
import { hookReport } from '../../src/claude/hook-report.ts'
import { planDirectories } from '../../src/claude/plans-and-questions.ts'
import { listEvents } from '../../src/db/events.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { listPlans } from '../../src/db/plans.ts'
import { MissionService } from '../../src/mission/service.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { stateAtStart } from '../../src/wrapper/claude-state.ts'
import { openLog } from '../../src/wrapper/log.ts'
import { Observer, type ObserverOptions } from '../../src/wrapper/report-observer.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

/** An observer with its own store and spool. `leave` writes a file to the spool, as a hook does. */
async function bench(
  options: Partial<ObserverOptions> = {},
  plansOf = (root: string) => [join(root, 'plans')],
) {
  const root = temporaryDirectory()
  const plans = plansOf(root)
  const eventsDirectory = join(root, 'ev')
  mkdirSync(eventsDirectory)
  const db = await openStore(join(root, 'database.sqlite'))
  onTestFinished(() => void db.close())
  const id = newMissionId()
  const clock = { nowMs: Date.parse('2030-01-01T00:00:00.000Z') }
  insertMission(db, aMission({ id, created_at: new Date(clock.nowMs).toISOString() }))
  const stored: string[] = []
  const logPath = join(root, 'log')
  const now = () => new Date(clock.nowMs)
  const missions = new MissionService(db, now)
  missions.subscribe(({ change }) => {
    if (change.state) stored.push(change.state)
  })
  const newObserver = (others: Partial<ObserverOptions> = {}) =>
    new Observer({
      missions,
      mission: getMission(db, id)!,
      agent: { readReport: data => hookReport(data, plans), openChannel: () => null },
      requests: { take: () => false, seeStatus: () => {}, hasOpen: false },
      events: eventsDirectory,
      now,
      log: openLog(logPath, () => new Date()),
      whenReady: work => work(),
      ...options,
      ...others,
    })
  let count = 0
  return {
    root,
    db,
    id,
    clock,
    now,
    missions,
    stored,
    newObserver,
    observer: newObserver(),
    spooled: () => readdirSync(eventsDirectory),
    log: () => (existsSync(logPath) ? readFileSync(logPath, 'utf8') : ''),
    leave: (fields: object) => {
      count += 1
      const text = JSON.stringify({ session_id: id, ...fields })
      writeFileSync(join(eventsDirectory, String(4_194_304 + count)), text)
    },
    mission: () => getMission(db, id)!,
    history: (kind: string) =>
      listEvents(db, id)
        .filter(event => event.kind === kind)
        .map(({ data }) => data),
  }
}

const bindSocket = 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])'
const prompt = { hook_event_name: 'UserPromptSubmit' }

describe('events in the spool', () => {
  test('are stored with their history, then removed', async () => {
    const { observer, leave, mission, history, spooled, stored } = await bench()
    leave({ hook_event_name: 'SessionStart' })
    leave(prompt)
    leave({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' })
    observer.readSpool()
    expect(mission()).toMatchObject({ state: 'waiting', waiting_for: 'permission' })
    expect(history('state').map(({ state }) => state)).toEqual(['idle', 'busy', 'waiting'])
    expect(spooled()).toEqual([])
    expect(stored).toEqual(['waiting'])
  })

  test('count once, even if the wrapper was killed between storing and removing them', async () => {
    const { observer, newObserver, leave, history, root } = await bench()
    leave(prompt)
    const [name] = readdirSync(join(root, 'ev'))
    const kept = join(root, 'kept')
    // A hard link, because a copy would have another inode and count as another file.
    execFileSync('ln', [join(root, 'ev', name!), kept])
    observer.readSpool()
    execFileSync('ln', [kept, join(root, 'ev', name!)])
    newObserver().readSpool()
    expect(history('state')).toHaveLength(1)
    expect(readdirSync(join(root, 'ev'))).toEqual([])
  })

  test('of several batches count once, even if the wrapper was killed between storing and removing the second', async () => {
    const { newObserver, leave, missions, db, id, root, now, history } = await bench()
    const count = 2_500
    for (let n = 0; n < count; n++) leave(n % 2 === 0 ? prompt : { hook_event_name: 'Stop' })
    const kept = join(root, 'kept')
    let storeAtKill: Buffer | null = null
    let commits = 0
    missions.subscribe(() => {
      commits += 1
      if (commits !== 2) return
      // The files and the store of this moment, as a kill would leave them.
      execFileSync('cp', ['-rl', join(root, 'ev'), kept])
      storeAtKill = db.serialize()
    })
    newObserver().readSpool()
    expect(commits).toBe(3)
    expect(readdirSync(kept)).toHaveLength(1_500)
    expect(history('state')).toHaveLength(count)

    writeFileSync(join(root, 'at-kill.sqlite'), storeAtKill!)
    const left = await openStore(join(root, 'at-kill.sqlite'))
    onTestFinished(() => void left.close())
    expect(listEvents(left, id).filter(({ kind }) => kind === 'state')).toHaveLength(2_000)
    const taken: unknown[] = []
    const requests = { take: (report: Report) => taken.push(report) < 0, seeStatus: () => {}, hasOpen: false }
    const mission = getMission(left, id)!
    newObserver({ missions: new MissionService(left, now), mission, events: kept, requests }).readSpool()
    expect(taken).toHaveLength(500)
    expect(readdirSync(kept)).toEqual([])
  })

  test('are stored and removed in parts if they are large, so that they fit into memory', async () => {
    const left: number[] = []
    const take = () => left.push(spooled().length) < 0
    const { observer, leave, root, spooled } = await bench({
      requests: { take, seeStatus: () => {}, hasOpen: false },
    })
    leave({ ...prompt, text: 'x'.repeat(4_000_000) })
    const [name] = spooled()
    for (let n = 1; n < 40; n++) linkSync(join(root, 'ev', name!), join(root, 'ev', `x${n}`))
    observer.readSpool()
    expect(left).toHaveLength(40)
    expect(left.at(-1)).toBeLessThan(20)
    expect(spooled()).toEqual([])
  })

  test.each<[string, (path: string) => void]>([
    ['FIFO', path => execFileSync('mkfifo', [path])],
    ['directory', path => mkdirSync(join(path, 'content'), { recursive: true })],
    ['link to a device', path => symlinkSync('/dev/zero', path)],
    ['link to itself', path => symlinkSync(path, path)],
    ['socket', path => execFileSync('python3', ['-c', bindSocket, path])],
  ])('are read although a %s is among them, which is set aside and logged once', async (_title, plant) => {
    const { observer, leave, mission, spooled, log, root } = await bench()
    plant(join(root, 'ev', '1'))
    leave(prompt)
    observer.readSpool()
    observer.readSpool()
    expect(mission().state).toBe('busy')
    expect(spooled()).toEqual([])
    expect(log().match(/not a regular file of this user/g)).toHaveLength(1)
  })

  test('keep the content of a directory that was in their place', async () => {
    const { observer, root } = await bench()
    mkdirSync(join(root, 'ev', '1'))
    writeFileSync(join(root, 'ev', '1', 'note'), 'mine')
    observer.readSpool()
    const [aside] = readdirSync(root).filter(name => name.startsWith('rejected-'))
    expect(readFileSync(join(root, aside!, 'note'), 'utf8')).toBe('mine')
  })

  test('that are rejected in large numbers leave one line in the log', async () => {
    const { observer, log, spooled, root } = await bench()
    for (let n = 0; n < 1_200; n++) writeFileSync(join(root, 'ev', `x${n}`), '')
    observer.readSpool()
    expect(log().trim().split('\n')).toEqual([expect.stringContaining(' and 1199 more: not JSON')])
    expect(spooled()).toEqual([])
  })

  test('stay in the spool while the store cannot be written to, and are read later', async () => {
    const { observer, leave, db, mission, spooled, log, stored } = await bench()
    db.exec("CREATE TRIGGER full BEFORE UPDATE ON missions BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    leave(prompt)
    observer.readSpool()
    expect(observer.claude.state).toBe('starting')
    expect(spooled()).toHaveLength(1)
    expect(log()).toContain('disk is full')
    db.exec('DROP TRIGGER full')
    observer.readSpool()
    expect(mission().state).toBe('busy')
    expect(stored).toEqual(['busy'])
  })

  test('that could not be stored are read again once, without another wake-up', async () => {
    const { observer, leave, db, mission } = await bench()
    const fill = () =>
      db.exec("CREATE TRIGGER full BEFORE UPDATE ON missions BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    leave(prompt)
    fill()
    observer.onWakeup()
    observer.tryAgain()
    db.exec('DROP TRIGGER full')
    observer.tryAgain()
    expect(mission().state).toBe('busy')
    leave({ hook_event_name: 'Stop' })
    observer.tryAgain()
    expect(mission().state).toBe('busy')
  })

  test('stay in the spool while the store cannot be read', async () => {
    const { observer, leave, db, mission, log } = await bench()
    leave(prompt)
    db.exec('ALTER TABLE missions RENAME TO away')
    observer.onWakeup()
    expect(log()).toContain('no such table')
    db.exec('ALTER TABLE away RENAME TO missions')
    observer.tryAgain()
    expect(mission().state).toBe('busy')
  })

  test('are read even if one of them cannot be answered', async () => {
    const requests = {
      take: ({ kind }: { kind: string }) => {
        if (kind === 'about-to-use') throw new Error('answering failed')
        return false
      },
      seeStatus: () => {},
      hasOpen: false,
    }
    const { observer, leave, mission, log, spooled } = await bench({ requests })
    leave({ hook_event_name: 'PreToolUse', tool_name: 'Bash' })
    leave({ hook_event_name: 'Stop' })
    observer.onWakeup()
    expect(mission().state).toBe('idle')
    expect(log()).toContain('answering failed')
    expect(spooled()).toEqual([])
  })

  test('are dropped and logged if neither Claude nor agenc wrote them', async () => {
    const { observer, leave, log, spooled } = await bench()
    leave({ hello: 'world' })
    observer.readSpool()
    expect(log()).toContain('neither a report nor a message')
    expect(spooled()).toEqual([])
  })
})

describe('a conversation', () => {
  test('has begun once its transcript has a message, not at the first prompt', async () => {
    const { observer, leave, mission, root } = await bench()
    const transcript_path = join(root, 'conversation.jsonl')
    leave({ ...prompt, transcript_path })
    observer.readSpool()
    expect(mission()).toMatchObject({ session_begun: 0, transcript_path })
    for (const [line, begun] of [
      ['{"type":"mode","mode":"normal"}', 0],
      ['{"type":"user","message":{"content":"Hello."}}', 1],
    ] as const) {
      appendFileSync(transcript_path, `${line}\n`)
      leave({ hook_event_name: 'Stop', transcript_path })
      observer.readSpool()
      expect(mission().session_begun).toBe(begun)
    }
  })
})

test('a restarted Claude resets the state and keeps what is known of the conversation', async () => {
  const { observer, leave, mission, history } = await bench()
  leave({ ...prompt, transcript_path: '/nowhere/x.jsonl', permission_mode: 'plan' })
  observer.readSpool()
  observer.begin(mission(), stateAtStart(mission(), true))
  expect(mission()).toMatchObject({
    state: 'waiting',
    waiting_for: 'trust',
    waiting_since: '2030-01-01T00:00:00.000Z',
    transcript_path: '/nowhere/x.jsonl',
    reported_permission_mode: 'plan',
    permission_mode: null,
  })
  expect(history('permission_mode')).toEqual([])
})

describe('a report that did not come through the spool', () => {
  const channel: ReplyChannel = {
    keepWaiting: () => {},
    allow: () => true,
    deny: () => true,
    askUser: () => true,
    release: () => {},
    giveUp: () => {},
  }
  const report = (fields: object) => hookReport(fields, [])!
  const request = report({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' })
  /** Collects what the requests are given. With `answers`, every permission request is answered at once. */
  const recordingRequests = ({ answers = false } = {}) => {
    const taken: unknown[] = []
    const take = (taking: Report, given: ReplyChannel | null) => {
      taken.push([taking, given])
      return answers && taking.kind === 'asks'
    }
    return { taken, requests: { take, seeStatus: () => {}, hasOpen: false } }
  }

  test('is handed to the requests with its channel, stored with its history, and announced', async () => {
    const { taken, requests } = recordingRequests()
    const { observer, mission, history, stored } = await bench({ requests })
    const seenByListener: unknown[] = []
    observer.onReport = () => seenByListener.push(mission().state)
    observer.seeReport(request, channel)
    expect(taken).toEqual([[request, channel]])
    expect(mission()).toMatchObject({ state: 'waiting', waiting_for: 'permission' })
    expect(history('state')).toMatchObject([{ state: 'waiting', waiting_for: 'permission' }])
    expect(stored).toEqual(['waiting'])
    expect(seenByListener).toEqual(['waiting'])
  })

  test('leaves no mission waiting if it was answered at once', async () => {
    const { observer, mission } = await bench(recordingRequests({ answers: true }))
    observer.seeReport(report(prompt), null)
    observer.seeReport(request, channel)
    expect(mission()).toMatchObject({ state: 'busy', waiting_for: null })
  })

  test('is neither answered nor stored before the settings are known', async () => {
    const due: (() => void)[] = []
    const { taken, requests } = recordingRequests()
    const { observer, mission } = await bench({ requests, whenReady: work => void due.push(work) })
    observer.seeReport(report(prompt), null)
    expect([taken, mission().state]).toEqual([[], null])
    for (const work of due) work()
    expect(taken).toHaveLength(1)
    expect(mission().state).toBe('busy')
  })

  test('is stored later if the store cannot be written to', async () => {
    const { observer, db, mission, log } = await bench()
    let announced = 0
    observer.onReport = () => {
      announced += 1
    }
    db.exec("CREATE TRIGGER full BEFORE UPDATE ON missions BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    observer.seeReport(report(prompt), null)
    expect(log()).toContain('disk is full')
    expect([mission().state, observer.claude.state, announced]).toEqual([null, 'starting', 1])
    db.exec('DROP TRIGGER full')
    observer.tryAgain()
    expect(mission().state).toBe('busy')
  })
})

test.each([
  ['from before a prompt was reported does not make it look idle', -60_000, 'busy'],
  ['from after the prompt does: the user may have interrupted it at once', 60_000, 'idle'],
])('a status %s', async (_title, ms, state) => {
  const { observer, leave, mission } = await bench()
  leave({ hook_event_name: 'SessionStart' })
  leave(prompt)
  const status: AgentStatus = {
    activity: 'idle',
    dialog: null,
    updatedAtMs: Date.now() + ms,
    userName: null,
  }
  observer.seeStatus(status)
  expect(mission().state).toBe(state)
  // The same status is read again with every report.
  observer.seeStatus(status)
  expect(mission().state).toBe(state)
  observer.seeStatus({ ...status, updatedAtMs: status.updatedAtMs + 1 })
  expect(mission().state).toBe('idle')
})

test('while a request is open, hooks are read before a newer status file', async () => {
  const order: string[] = []
  const requests = {
    take: ({ kind }: { kind: string }) => order.push(kind) < 0,
    seeStatus: ({ activity }: AgentStatus) => void order.push(activity),
    hasOpen: true,
  }
  const { observer, leave } = await bench({ requests })
  leave({ hook_event_name: 'PostToolUse', tool_name: 'Bash' })
  observer.seeStatus({ activity: 'idle', dialog: null, updatedAtMs: 1, userName: null })
  expect(order).toEqual(['used', 'idle'])
})

test('a status that could not be stored is stored later, unless a newer one has come', async () => {
  const { observer, db, mission } = await bench()
  const status = (activity: AgentStatus['activity'], updatedAtMs: number) =>
    observer.seeStatus({ activity, dialog: null, updatedAtMs, userName: null })
  status('busy', 1)
  db.exec("CREATE TRIGGER full BEFORE UPDATE ON missions BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
  status('idle', 2)
  expect(observer.claude.state).toBe('busy')
  db.exec('DROP TRIGGER full')
  observer.tryAgain()
  expect([mission().state, observer.claude.state]).toEqual(['idle', 'idle'])
  status('busy', 3)
  observer.tryAgain()
  expect(mission().state).toBe('busy')
})

test('while the rules are not ready, neither a ring nor a status has a tool judged', async () => {
  const taken: string[] = []
  const due: (() => void)[] = []
  const requests = {
    take: ({ kind }: { kind: string }) => taken.push(kind) < 0,
    seeStatus: ({ activity }: AgentStatus) => void taken.push(activity),
    hasOpen: true,
  }
  const { observer, leave } = await bench({ requests, whenReady: work => void due.push(work) })
  leave({ hook_event_name: 'PreToolUse', tool_name: 'Bash' })
  observer.onWakeup()
  observer.seeStatus({ activity: 'busy', dialog: null, updatedAtMs: 1, userName: null })
  expect(taken).toEqual([])
  for (const work of due) work()
  expect(taken).toEqual(['about-to-use', 'busy'])
})

test('a mode set while Claude runs is used at the next start, even after Shift+Tab went through all modes', async () => {
  const { observer, leave, mission, db, id } = await bench()
  const report = (permission_mode: string) => {
    leave({ ...prompt, permission_mode })
    observer.readSpool()
    return mission().permission_mode
  }
  observer.begin(mission(), stateAtStart(mission(), false))
  report('default')
  updateMission(db, id, { permission_mode: 'plan' })
  expect(['default', 'acceptEdits', 'default'].map(report)).toEqual(['plan', 'acceptEdits', 'plan'])
  observer.begin(mission(), stateAtStart(mission(), false))
  expect(['plan', 'auto', 'plan'].map(report)).toEqual(['plan', 'auto', 'plan'])
})

describe('questions', () => {
  const ask = (question: string, hook_event_name = 'PreToolUse') => ({
    hook_event_name,
    tool_name: 'AskUserQuestion',
    tool_input: { questions: [{ question }] },
  })

  test('are recorded once if repeated within ten seconds', async () => {
    const { observer, leave, clock, history } = await bench()
    for (const [question, laterMs] of [
      ['Tea?', 0],
      ['Coffee?', 1_000],
      ['Tea?', 8_000],
      ['Tea?', 2_000],
    ] as const) {
      clock.nowMs += laterMs
      leave(ask(question))
      leave(ask(question, 'PermissionRequest'))
      observer.readSpool()
    }
    expect(history('question').map(({ text }) => text)).toEqual(['Tea?', 'Coffee?', 'Tea?'])
  })

  test('of an unknown shape are ignored, and text is cleaned', async () => {
    const { observer, leave, history } = await bench()
    leave({ ...ask('x'), tool_input: { questions: 'none' } })
    leave({ ...ask('x'), tool_input: { questions: [null, { question: 7 }] } })
    leave({ ...ask('two\nlines \u001b[31mred') })
    observer.readSpool()
    expect(history('question')).toEqual([{ text: 'two lines red' }])
  })
})

describe('plans', () => {
  const written = (file_path: string) => ({
    hook_event_name: 'PostToolUse',
    tool_name: 'Write',
    tool_input: { file_path },
  })

  test('in a plan directory are linked once each, and other files are not', async () => {
    const { observer, leave, root, db, id, history } = await bench()
    const plan = join(root, 'plans', 'a.md')
    for (const path of [plan, plan, join(root, 'a.md'), join(root, 'plans', 'a.txt')]) leave(written(path))
    leave({
      hook_event_name: 'PermissionRequest',
      tool_name: 'ExitPlanMode',
      tool_input: { plan: '# x', planFilePath: join(root, 'elsewhere', 'b.md') },
    })
    observer.readSpool()
    expect(listPlans(db, id).sort()).toEqual([join(root, 'elsewhere', 'b.md'), plan])
    expect(history('plan')).toHaveLength(2)
  })

  test('are looked for in Claude’s plan directory and in the one that the settings name', () => {
    const root = temporaryDirectory()
    const locations = { directory: root, globalConfig: '', plans: join(root, 'plans'), statusFile: () => '' }
    expect(planDirectories(locations, '/project')).toEqual([join(root, 'plans')])
    writeFileSync(join(root, 'settings.json'), '{"plansDirectory":"./docs/plans"}')
    expect(planDirectories(locations, '/project')).toEqual([join(root, 'plans'), '/project/docs/plans'])
    writeFileSync(join(root, 'settings.json'), 'broken')
    expect(planDirectories(locations, '/project')).toEqual([join(root, 'plans')])
  })
})

test('a result stays, even if the report of its prompt is read later', async () => {
  const { observer, leave, mission } = await bench()
  leave({ ...prompt, prompt: 'Hello.' })
  observer.seeResult({ text: 'Hi.', isError: false, turns: 1, durationMs: 1, costUsd: null, tokens: null })
  observer.readSpool()
  expect(JSON.parse(mission().result!)).toMatchObject({ text: 'Hi.' })
  leave({ ...prompt, prompt: 'Again.' })
  observer.readSpool()
  expect(mission().result).toBeNull()
})
