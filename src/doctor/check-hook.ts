import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hookCommand } from '../claude/hook-command.ts'
import type { Context } from '../context.ts'
import { makeTemporaryDirectory } from '../io/temporary-directory.ts'
import { type Finding, ok, problem } from './finding.ts'

const event = '{"hook_event_name":"Stop"}\n'
const timeoutMs = 5_000

export function checkHook(context: Context): Finding {
  try {
    return tryHook(context)
  } catch (error) {
    return failed((error as Error).message)
  }
}

/** Runs what Claude would run, where it would run it: its shell and the file system decide. */
function tryHook({ exec, env, paths }: Context): Finding {
  const directory = makeTemporaryDirectory(join(existsSync(paths.home) ? paths.home : tmpdir(), 'doctor-'))
  const [events, bell] = [join(directory.path, 'ev'), join(directory.path, 'bell')]
  try {
    mkdirSync(events, { mode: 0o700 })
    const made = exec.capture('mkfifo', ['-m', '600', bell], { env })
    if (made.exitCode !== 0) return failed(`no FIFO can be made: ${made.stderr.trim()}`)
    const command = hookCommand({ events, bell })
    const done = exec.capture('/bin/sh', ['-c', command], { env, input: event, timeoutMs })
    if (done.exitCode !== 0)
      return failed(`sh ended with ${done.signal ?? done.exitCode}: ${done.stderr.trim()}`)
    const kept = readdirSync(events).map(name => readFileSync(join(events, name), 'utf8'))
    return kept.length === 1 && kept[0] === event
      ? ok('hooks', 'what Claude reports arrives')
      : failed('an event did not arrive')
  } finally {
    directory.remove()
  }
}

function failed(reason: string): Finding {
  return problem(
    'hooks',
    `states of missions cannot be followed: ${reason}`,
    'Is /bin/sh a POSIX shell? Is the home on a local disk? Set AGENC_DIRPATH to one.',
  )
}
