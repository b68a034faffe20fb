import { appendFileSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConversationEntry } from '../../src/claude/conversation-entry.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { agencScript, projectRoot, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'

const recorded = readFileSync(join(projectRoot, 'test', 'corpus', 'conversations', 'whole-day.jsonl'), 'utf8')

interface Said {
  by: 'user' | 'assistant'
  content: unknown
}

/** A transcript in which each line follows the one before. */
function transcriptOf(...said: Said[]): string {
  const line = ({ by, content }: Said, index: number) => ({
    parentUuid: index === 0 ? null : `id-${index - 1}`,
    isSidechain: false,
    type: by,
    message: { role: by, content },
    uuid: `id-${index}`,
    timestamp: new Date(Date.UTC(2026, 10, 17, 12, 0, index)).toISOString(),
  })
  return said.map((one, index) => `${JSON.stringify(line(one, index))}\n`).join('')
}

const user = (content: unknown): Said => ({ by: 'user', content })
const claude = (text: string): Said => ({ by: 'assistant', content: [{ type: 'text', text }] })

interface PrintBox extends Sandbox {
  id: MissionId
  transcript: string
  print(...args: string[]): string
  terminal(args: string[], columns?: number): Terminal
}

/** A stopped mission with this transcript. */
async function printBox(text: string): Promise<PrintBox> {
  const box = sandbox()
  const [id] = await storeMissions(box, [{ session_begun: 1, name: 'talker' }])
  const project = join(box.home, '.claude', 'projects', 'some-project')
  mkdirSync(project, { recursive: true })
  const transcript = join(project, `${id}.jsonl`)
  writeFileSync(transcript, text)
  return {
    ...box,
    id: id!,
    transcript,
    print: (...args) => {
      const { exitCode, stdout, stderr } = box.agenc(['mission', 'print', 'talker', ...args])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      return stdout
    },
    terminal: (args, columns = 60) =>
      openTerminal(process.execPath, [agencScript, 'mission', 'print', ...args], {
        env: { ...box.env, NO_COLOR: '' },
        cwd: box.root,
        columns,
      }),
  }
}

test('a pipe gets plain text: who said what, one line per tool, its error, and nothing of rewound turns', async () => {
  const box = await printBox(recorded)
  const text = box.print()
  expect(text).toContain(`Claude:
I look.

  Bash: echo hi
  Read: /nonexistent/x
  Read failed: File does not exist. Note: your current working directory is /home/me/project.
  Bash: exit 3
  Bash failed: Exit code 3

Looked.

You:
Queued in the middle. [[text got it]]
`)
  expect(text).toContain('\n(you have interrupted Claude)\n')
  expect(text).toContain('\n(error: API Error: 400 scripted)\n')
  expect(text).toContain('\nYou:\n!echo bang\n')
  expect(text).toContain('\nClaude:\n  Agent: look\n\nStarted.\n\n(Agent "look" finished)\n')
  expect(text).toContain('\nAnother agent:\nPeer says hi. [[text Hi peer.]]\n\nClaude:\nHi peer.\n')
  expect(text).toContain('\n(the conversation was compacted: Claude goes on with a summary)\n')
  expect(text).not.toContain('Old branch.')
  expect(text).not.toContain('\u001b')
  expect(text.startsWith('You:\nFirst.')).toBe(true)
  expect(text.endsWith('Claude:\nCompacted.\n')).toBe(true)
})

test('--json, --tail, --last and --raw', async () => {
  const box = await printBox(recorded)
  const entries: ConversationEntry[] = box
    .print('--json')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(entries).toHaveLength(50)
  expect(entries[1]).toEqual({
    uuid: '9e1d3f53-4857-445f-b656-0db645d261ed',
    at: '2026-11-17T18:44:54.132Z',
    by: 'claude',
    kind: 'message',
    text: 'Hello **there**.',
    tool: null,
    input: null,
  })
  const last = JSON.stringify(entries.at(-1))
  expect(box.print('--json', '--tail', '2')).toBe(`${JSON.stringify(entries.at(-2))}\n${last}\n`)
  expect(box.print('--tail', '0')).toBe('')
  expect(box.print('--json', '--tail', '999').trimEnd().split('\n')).toHaveLength(50)
  expect(box.print('--last')).toBe('Compacted.\n')
  expect(box.print('--last', '--json')).toBe(`${last}\n`)
  expect(box.print('--raw')).toBe(recorded)
  expect(box.print('--raw', '--tail', '3')).toBe(recorded.split('\n').slice(-4).join('\n'))
  appendFileSync(box.transcript, recorded.slice(0, 100))
  expect(box.print('--raw')).toBe(recorded)
  expect(box.print('--last')).toBe('Compacted.\n')
  for (const wrong of [
    ['--last', '--tail', '1'],
    ['--raw', '--json'],
    ['--tail', 'x'],
  ])
    expect(box.agenc(['mission', 'print', 'talker', ...wrong])).toMatchObject({ exitCode: 64, stdout: '' })
})

test('--last is exact, and prefers what the end of the turn reported, unless something was said since', async () => {
  const exact = '  # A title\r\n\tcode\u001b[31m  \n'
  const box = await printBox(transcriptOf(user('Hello.'), claude(exact)))
  expect(box.print('--last')).toBe(exact)
  const { lastMessage } = pathsAt(box.agencHome).mission(box.id)
  writeFileSync(lastMessage, 'Reported.\n')
  const setTime = (second: number) => {
    const at = new Date(Date.UTC(2026, 10, 17, 12, 0, second))
    utimesSync(lastMessage, at, at)
  }
  setTime(0)
  expect(box.print('--last')).toBe(exact)
  setTime(2)
  expect(box.print('--last')).toBe('Reported.\n')
  writeFileSync(box.transcript, transcriptOf(user('Hello.'), claude(exact), user('a'), user('And now?')))
  expect(box.print('--last')).toBe(exact)
})

test('without a conversation it says so; a lost one is an error', async () => {
  const box = await printBox(recorded)
  renameSync(box.transcript, `${box.transcript}.away`)
  const gone = box.agenc(['mission', 'print', 'talker'])
  expect(gone).toMatchObject({ exitCode: 1, stdout: '' })
  expect(gone.stderr).toMatch(new RegExp(`talker is gone: no ${box.id}.jsonl below .*\\nRestore the file`))
  await storeMissions(box, [{ name: 'silent' }, { name: 'silent too', session_begun: 1 }])
  for (const args of [['--json'], ['--last', '--json'], ['--raw', '--follow']]) {
    const silent = box.agenc(['mission', 'print', 'silent', ...args])
    expect(silent).toMatchObject({ exitCode: 0, stdout: '' })
    expect(silent.stderr).toMatch(/^\w+ silent has no conversation yet\.\n$/)
  }
  expect(box.agenc(['mission', 'print', 'si'])).toMatchObject({ exitCode: 64, stdout: '' })
  expect(box.agenc(['mission', 'print']).stderr).toContain('No mission given.')
  writeFileSync(box.transcript, '{"type":"mode","mode":"normal"}\n')
  expect(box.agenc(['mission', 'print', 'talker']).stderr).toContain('has no conversation yet')
})

test('missions that are archived or deleted can still be read', async () => {
  const box = await printBox(transcriptOf(user('Hello.'), claude('Hi.')))
  const other = (await storeMissions(box, [{ removed_at: '2026-01-01T00:00:00.000Z', session_begun: 1 }]))[0]!
  writeFileSync(box.transcript.replace(box.id, other), transcriptOf(user('Still here.')))
  expect(box.agenc(['mission', 'archive', 'talker'])).toMatchObject({ exitCode: 0 })
  expect(box.print()).toBe('You:\nHello.\n\nClaude:\nHi.\n')
  expect(box.agenc(['mission', 'print', other])).toMatchObject({ exitCode: 0, stdout: 'You:\nStill here.\n' })
})

/** Any escape sequence but those for colours, and other characters that a terminal or a reader is misled by. */
const forbidden = /\u001b(?!\[\d+m)|[\u0007\u0080-\u009f\u202e]/

test('on a terminal: Markdown, colours, lines that fit, and no control characters of others', async () => {
  const evil = 'a\u001b]0;owned\u0007b\u009b31mc\u202ed'
  const box = await printBox(
    transcriptOf(
      user(`${evil} ${'word '.repeat(30)}`),
      claude(`# Title\n\nSome **bold** words. ${evil}`),
      {
        by: 'assistant',
        content: [
          { type: 'tool_use', id: 't', name: 'Bash', input: { command: `echo ${'x'.repeat(200)} ${evil}` } },
        ],
      },
      user([
        {
          type: 'tool_result',
          tool_use_id: 't',
          is_error: true,
          content: `${evil}\nmore\n${'y'.repeat(200)}`,
        },
      ]),
    ),
  )
  const terminal = box.terminal(['talker'])
  expect(await terminal.exited).toBe(0)
  const rows = terminal.screen().split('\n')
  expect(rows[0]).toBe('You:')
  expect(rows[1]).toMatch(/^abc?d? .*word$/)
  expect(terminal.screen()).toContain('\nClaude:\nTitle\n\nSome bold words.')
  expect(terminal.screen()).toMatch(/\n {2}Bash: echo x+…\n {2}Bash failed: a.* more y+…$/)
  expect(terminal.cellsAt('bold')[0]).toMatchObject({ isBold: true })
  expect(terminal.cellsAt('Bash failed')[0]).toMatchObject({ foreground: 1 })
  expect(terminal.raw()).not.toMatch(forbidden)
  for (const form of ['--json', '--raw', '--last']) {
    const other = box.terminal(['talker', form])
    expect(await other.exited).toBe(0)
    expect(other.raw()).not.toMatch(forbidden)
  }
})

test('on a terminal without a mission, the user picks one', async () => {
  const box = await printBox(transcriptOf(user('Hello.')))
  const terminal = box.terminal([], 100)
  await terminal.waitForText('Print the conversation of a mission')
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(terminal.screen()).toContain('You:\nHello.')
})
