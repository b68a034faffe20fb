import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getMission, listMissions } from '../../../src/db/missions.ts'
import { openStore } from '../../../src/db/open-store.ts'
import { installStandIn, openSession } from '../bench-session.ts'
import { agencScript, runProgram, until } from '../box.ts'
import type { Case } from '../comparison.ts'

/** A script that pastes as a person's script would: it presses Enter, and does not know what becomes of it. */
const byHand = `
const { spawnSync } = require('node:child_process')
const [pane, text] = process.argv.slice(2)
const tmux = (input, ...args) => spawnSync('tmux', args, { input })
tmux(text, 'load-buffer', '-b', 'hand', '-', ';', 'paste-buffer', '-p', '-d', '-b', 'hand', '-t', pane)
setTimeout(() => tmux('', 'send-keys', '-t', pane, 'Enter'), 150)
`

/** Each round ends when the conversation has the message. */
export const send: Case = {
  prepare: async box => {
    const session = openSession(box)
    installStandIn(box)
    const inside = (args: string[]) => runProgram(box, process.execPath, args, session.inside)
    await inside([agencScript, 'mission', 'new', '--blank', '--no-focus'])
    const db = await openStore(box.paths.database)
    box.cleanup.add(() => void db.close())
    await until('the mission is idle', () => listMissions(db)[0]?.state === 'idle')
    const { id, session_id } = listMissions(db)[0]!
    const windows = session.tmux.tell([
      'list-windows',
      '-t',
      '=agenc:',
      '-F',
      '#{@agenc_mission_uuid} #{pane_id}',
    ])
    const pane = windows.find(line => line.startsWith(id))!.split(' ')[1]!
    const script = box.write('by-hand.cjs', byHand)
    let number = 0
    const time = async (args: (text: string) => string[]) => {
      const text = `Round ${number++} of the bench.`
      const beforeMs = performance.now()
      await inside(args(text))
      await until('the message is in the conversation', () => conversation(box, session_id).includes(text))
      const ms = performance.now() - beforeMs
      await until('the turn is over', () => getMission(db, id)?.state === 'idle')
      return ms
    }
    return {
      subject: () => time(text => [agencScript, 'mission', 'send', id, '--quiet', '--as', 'user', text]),
      floor: () => time(text => [script, pane, text]),
    }
  },
}

function conversation({ env }: { env: NodeJS.ProcessEnv }, sessionId: string): string {
  const projects = join(env.HOME!, '.claude', 'projects')
  const names = existsSync(projects) ? readdirSync(projects, { recursive: true }).map(String) : []
  const name = names.find(path => path.endsWith(`${sessionId}.jsonl`))
  return name === undefined ? '' : readFileSync(join(projects, name), 'utf8')
}
