import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { agencScript, type Box, timeProgram } from '../box.ts'
import { type Case, median } from '../comparison.ts'
import { storeMissions } from '../stored-missions.ts'

const conversationBytes = 200 * 2 ** 20
const turnsPerCompaction = 500
const turnsPerRewind = 1_000

/** Both sides write into a pipe, as for a pager. */
export const print: Case = {
  prepare: async box => {
    const [mission] = await storeMissions(box, 1)
    const { id } = mission!
    const project = join(box.home, '.claude', 'projects', 'bench')
    mkdirSync(project, { recursive: true })
    const transcript = join(project, `${id}.jsonl`)
    writeConversation(transcript)
    const memory = noteMemory(box)
    const command = [process.execPath, agencScript, 'mission', 'print', id]
    const firstLineMs: number[] = []
    const memoryMib: number[] = []
    return {
      subject: async () => {
        firstLineMs.push(await timeFirstLine(box, command))
        const tookMs = timeProgram(box, 'sh', ['-c', '"$@" | cat >/dev/null', 'sh', ...command], memory)
        memoryMib.push(memory.readMib())
        return tookMs
      },
      floor: async () => timeProgram(box, 'sh', ['-c', 'cat "$1" | cat >/dev/null', 'sh', transcript]),
      figures: () => [
        { label: 'first line', value: median(firstLineMs), unit: 'ms', atMost: 100 },
        { label: 'memory (max RSS)', value: Math.max(...memoryMib), unit: 'MiB', atMost: 128 },
      ],
    }
  },
}

/** Node tells at its end how much memory it had at most. */
function noteMemory(box: Box): { env: NodeJS.ProcessEnv; readMib(): number } {
  const note = box.write('max-rss', '')
  const script = box.write(
    'note-memory.cjs',
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(note)}, String(process.resourceUsage().maxRSS)))`,
  )
  return {
    env: { NODE_OPTIONS: `--require=${script}` },
    readMib: () => Number(readFileSync(note, 'utf8')) / 1024,
  }
}

function timeFirstLine(box: Box, [program, ...args]: string[]): Promise<number> {
  const startMs = performance.now()
  const child = spawn(program!, args, { env: box.env, cwd: box.root, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.stdout.once('data', () => {
      const tookMs = performance.now() - startMs
      child.stdout.destroy()
      child.on('exit', () => resolve(tookMs))
    })
  })
}

/** A long conversation: prompts, answers, tools and their results, with compactions and rewinds. */
function writeConversation(path: string): void {
  const file = openSync(path, 'w', 0o600)
  const output = 'the output of some tool, with "quotes" and \n newlines \n'.repeat(60)
  let parent: string | null = null
  let bytes = 0
  const write = (type: string, message: object, more: object = {}, follows = parent) => {
    const uuid = randomUUID()
    const timestamp = '2030-01-01T00:00:00.000Z'
    const line = { parentUuid: follows, isSidechain: false, type, message, uuid, timestamp, ...more }
    bytes += writeSync(file, `${JSON.stringify(line)}\n`)
    parent = uuid
  }
  for (let turn = 1; bytes < conversationBytes; turn++) {
    const before: string | null = parent
    const say = (word: string) => {
      const use = {
        type: 'tool_use',
        id: `use-${turn}`,
        name: 'Bash',
        input: { command: `make part-${turn}` },
      }
      const result = {
        type: 'tool_result',
        tool_use_id: `use-${turn}`,
        content: output,
        is_error: turn % 50 === 0,
      }
      write('user', { role: 'user', content: `${word} ${turn}: please make the next part.` })
      write('assistant', { id: `message-${turn}`, content: [use] })
      write('user', { role: 'user', content: [result] }, { toolUseResult: { stdout: output, stderr: '' } })
      write('assistant', {
        id: `answer-${turn}`,
        content: [{ type: 'text', text: `Part **${turn}** is made.\n`.repeat(20) }],
      })
    }
    say('Turn')
    if (turn % turnsPerRewind === 0) {
      parent = before
      say('Instead of turn')
    }
    if (turn % turnsPerCompaction === 0) {
      const boundary = randomUUID()
      bytes += writeSync(
        file,
        `${JSON.stringify({ parentUuid: null, logicalParentUuid: parent, isSidechain: false, type: 'system', subtype: 'compact_boundary', uuid: boundary })}\n`,
      )
      write('user', { role: 'user', content: 'A summary.' }, { isCompactSummary: true }, boundary)
    }
  }
  closeSync(file)
}
