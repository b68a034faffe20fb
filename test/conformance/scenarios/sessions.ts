import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { keys, leave, type Scenario, startAndGreet } from '../scenario.ts'

const otherId = '11111111-2222-4333-8444-555555555555'

async function refusal(bench: Bench, args: readonly string[], env?: Record<string, string>): Promise<string> {
  const terminal = bench.start(args, { env })
  await bench.ended(terminal)
  return terminal.text()
}

async function refusals(bench: Bench, all: readonly (readonly string[])[]): Promise<string[]> {
  const texts: string[] = []
  for (const args of all) texts.push(await refusal(bench, args))
  return texts
}

export const sessions: Scenario[] = [
  {
    name: 'resume keeps name and mode, and fork leaves the original unchanged',
    play: async bench => {
      const first = await startAndGreet(bench, ['-n', 'kept'])
      first.send(keys.shiftTab)
      await bench.untilScreen(first, /accept edits on/)
      await bench.say(first, 'More. [[text More.]]')
      await bench.untilEvent('Stop', 2)
      await leave(bench, first)
      const resumed = bench.start(['--resume', bench.sessionId, '--settings', bench.hooks.settings()])
      await bench.untilReady(resumed)
      await bench.untilScreen(resumed, /Hello from the script/)
      await bench.say(resumed, 'Third. [[text Three.]]')
      await bench.untilEvent('Stop', 3)
      await leave(bench, resumed)
      const fork = ['--fork-session', '--session-id', otherId, '--settings', bench.hooks.settings()]
      const forked = bench.start(['--resume', bench.sessionId, ...fork])
      await bench.untilReady(forked)
      const beforePrompt = bench.transcripts()
      await bench.say(forked, 'Fourth. [[text Four.]]')
      await bench.untilEvent('Stop', 4)
      await leave(bench, forked)
      return { beforePrompt, after: bench.transcripts() }
    },
  },
  {
    name: 'resume in another directory writes to the original file, and -c takes the latest conversation',
    play: async bench => {
      await leave(bench, await startAndGreet(bench))
      const inner = join(bench.cwd, 'inner')
      mkdirSync(inner)
      const settings = ['--permission-mode', 'manual', '--settings', bench.hooks.settings()]
      const elsewhere = bench.start(['--resume', bench.sessionId, ...settings], { cwd: inner })
      await bench.untilReady(elsewhere)
      await bench.say(elsewhere, 'Here. [[text Here.]]')
      await bench.untilEvent('Stop', 2)
      await leave(bench, elsewhere)
      const latest = bench.start(['-c', ...settings, 'Latest. [[text Latest.]]'])
      await bench.untilEvent('Stop', 3)
      await leave(bench, latest)
      return bench.transcripts()
    },
  },
  {
    name: 'invalid session ids are refused',
    play: async bench => {
      await leave(bench, await startAndGreet(bench))
      return refusals(bench, [
        ['--session-id', bench.sessionId],
        ['--session-id', otherId, '--resume', bench.sessionId],
        ['--session-id', 'nonsense'],
        ['--resume', otherId],
      ])
    },
  },
  {
    name: 'invalid command lines are refused',
    play: async bench => {
      const texts = await refusals(bench, [
        ['-c'],
        ['--settings', '{bad'],
        ['--settings', 'missing.json'],
        ['--permission-mode', 'nonsense'],
        ['--nonsense'],
        ['--session-id'],
        ['--version'],
      ])
      const isRoot = process.getuid?.() === 0
      return isRoot ? [...texts, await refusal(bench, ['--permission-mode', 'bypassPermissions'])] : texts
    },
  },
  {
    name: 'help lists the permission modes in the same form',
    play: async bench => {
      const help = await refusal(bench, ['--help'])
      const flat = help.replace(/\s+/g, ' ')
      return /--permission-mode <mode> Permission mode to use for the session \(choices: [^)]*\)/.exec(
        flat,
      )?.[0]
    },
  },
]
