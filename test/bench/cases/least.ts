import { join } from 'node:path'
import type { Figure } from '../outcome.ts'
import type { Box } from '../place/box.ts'
import { projectRoot } from '../place/root.ts'
import type { Session } from '../place/session.ts'
import { emptyNode, timeProgram } from '../place/timing.ts'
import { median } from '../statistics.ts'

const looks = 15

/** Parts of what it takes to list missions, alone and together, in the plainest form; as multiples of an empty script. */
export function leastOfAList(box: Box, { tmux }: Session, listed: string): Figure[] {
  const text = box.write('listed.json', listed)
  const sqlite = join(projectRoot, 'node_modules', 'better-sqlite3')
  const options = {
    readonly: true,
    nativeBinding: join(sqlite, 'build', 'Release', 'better_sqlite3.node'),
  }
  const open = `const Sqlite = require(${quoted(sqlite)})
const db = new Sqlite(${quoted(box.paths.database)}, ${JSON.stringify(options)})
db.prepare('SELECT count(*) FROM missions').get()\n`
  const read = "db.prepare('SELECT * FROM missions').raw().all()\n"
  const query = ['list-windows', '-a', '-F', '#{window_id}\t#{@agenc_mission_uuid}']
  const ask = `require('node:child_process').spawnSync('tmux', ${JSON.stringify(tmux.arguments(query))})\n`
  const write = `const { readFileSync, writeSync } = require('node:fs')
const bytes = readFileSync(${quoted(text)})
for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done)\n`
  return timesEmpty(box, {
    'only to open the store': open,
    'only to ask tmux': ask,
    'only to write as much text': write,
    'all three': open + ask + write,
    'all three, and to read the records': open + read + ask + write,
  })
}

function timesEmpty(box: Box, scripts: Record<string, string>): Figure[] {
  const empty = emptyNode(box)
  return Object.entries(scripts).map(([label, text], index) => {
    const script = box.write(`least-${index}.cjs`, text)
    const ratios = Array.from({ length: looks }, () => timeProgram(box, process.execPath, [script]) / empty())
    return { label, value: median(ratios), unit: '×', atMost: null }
  })
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
