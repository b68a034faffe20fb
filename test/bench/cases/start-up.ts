import { execFileSync } from 'node:child_process'
import { openQuietWindows, openSession } from '../bench-session.ts'
import { type Box, bundleScript, projectRoot, timeAgenc, timeProgram } from '../box.ts'
import type { Case } from '../comparison.ts'
import { storeMissions } from '../stored-missions.ts'

const list = ['mission', 'ls', '--json']

export function help(...args: string[]): Case {
  return { prepare: box => besideEmptyNode(box, args) }
}

export const listFew: Case = {
  prepare: async box => {
    const missions = 10
    await storeMissions(box, missions)
    assertListed(box, missions, 0)
    return besideEmptyNode(box, list)
  },
}

export const listMany: Case = {
  prepare: async box => {
    const [missions, running] = [1_000, 20]
    const stored = await storeMissions(box, missions)
    await openQuietWindows(box, openSession(box), stored.slice(0, running))
    assertListed(box, missions, running)
    const plainList = [bundleScript(box, 'cases', 'plain-list.ts'), projectRoot]
    assertSameText(box, plainList)
    return {
      subject: async () => timeAgenc(box, list),
      floor: async () => timeProgram(box, process.execPath, plainList),
    }
  },
}

function besideEmptyNode(box: Box, args: readonly string[]) {
  const script = box.write('empty.cjs', '')
  return {
    subject: async () => timeAgenc(box, args),
    floor: async () => timeProgram(box, process.execPath, [script]),
  }
}

/** Guards against a list that is fast because it is empty. */
export function assertListed(box: Box, missions: number, running: number): void {
  const listed: { status: string; tmux_window: string | null }[] = JSON.parse(box.agenc(list))
  const seen = listed.filter(({ status, tmux_window }) => status === 'running' && tmux_window !== null)
  if (listed.length === missions && seen.length === running) return
  throw new Error(
    `expected ${missions} missions with ${running} running, but agenc lists ${listed.length} with ${seen.length}`,
  )
}

/** Guards against a floor that is fast because it does less. */
function assertSameText(box: Box, plainList: readonly string[]): void {
  const options = { env: box.env, cwd: box.root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 } as const
  if (execFileSync(process.execPath, plainList, options) === box.agenc(list)) return
  throw new Error("test/bench/cases/plain-list.ts does not print what 'agenc mission ls --json' prints")
}
