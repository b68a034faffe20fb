import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { LoopRecord, LoopStatus } from '../../src/db/loops.ts'
import type { LoopJson } from '../../src/loop/loop-json.ts'
import { gitBench } from './git.ts'
import { storeMissions } from './missions.ts'
import { tryKill } from './processes.ts'
import { waitFor } from './wait.ts'
import { type WrapperBox, wrapperBox } from './wrapper-box.ts'

/** A sandbox in which loops run without tmux. */
export interface LoopBox extends WrapperBox {
  /** Stores a blank mission that has not run, and returns its id. Its Claude writes files without asking. */
  blank(name?: string): Promise<string>
  /** Adds a trusted repo to the library, and returns its id. */
  repo(files?: Record<string, string>): string
  /** Starts a loop and returns its id. */
  start(target: string, prompt: string, until: string, ...args: string[]): string
  show(id: string): LoopJson
  /** Waits until the loop has ended. Fails if it has another status then. */
  untilStatus(id: string, status: LoopStatus): Promise<LoopJson>
}

export function loopBox(): LoopBox {
  return inLoops(wrapperBox())
}

export function inLoops(box: WrapperBox): LoopBox {
  const loops: string[] = []
  // Starting `agenc` for each look would slow down the loop.
  const storedLoop = (id: string): Pick<LoopRecord, 'status' | 'reason' | 'runner_pid'> => {
    const db = new Sqlite(join(box.agencHome, 'database.sqlite'), { readonly: true })
    try {
      return db.prepare<[string], LoopRecord>('SELECT * FROM loops WHERE id = ?').get(id)!
    } finally {
      db.close()
    }
  }
  const loopBox: LoopBox = {
    ...box,
    blank: async (name = 'blank') =>
      (await storeMissions(box, [{ name, permission_mode: 'acceptEdits' }]))[0]!,
    repo: (files = { 'README.md': 'hello\n' }) => {
      const path = gitBench(box.root, box.env).repo('project', files)
      const added = box.agenc(['repo', 'add', path, '--trust'])
      if (added.exitCode !== 0) throw new Error(added.stderr)
      return added.stdout.trim()
    },
    start: (target, prompt, until, ...args) => {
      const started = box.agenc(['loop', 'start', target, '--prompt', prompt, '--until', until, ...args])
      if (started.exitCode !== 0) throw new Error(started.stderr)
      const id = started.stdout.trim()
      loops.push(id)
      return id
    },
    show: id => box.agencJson<LoopJson>(['loop', 'show', id]),
    untilStatus: async (id, status) => {
      const { status: reached, reason } = await waitFor(`the end of loop ${id}`, () => {
        const stored = storedLoop(id)
        return stored.status !== 'running' && stored
      })
      if (reached !== status) throw new Error(`the loop is ${reached}: ${reason}`)
      return loopBox.show(id)
    },
  }
  onTestFinished(() => {
    for (const { runner_pid } of loops.map(storedLoop))
      if (runner_pid !== null) tryKill(runner_pid, 'SIGKILL')
  })
  return loopBox
}

/**
 * A check that succeeds when the file `count` has this number. Until then it tells the stand-in to count on. The command
 * itself, which is in the prompt too, has no directive.
 */
export function countTo(aim: number): string {
  return `n=$(cat count 2>/dev/null || echo 0); [ "$n" -ge ${aim} ] || { printf '[%swrite count|%s]]' '[' $((n + 1)); exit 1; }`
}
