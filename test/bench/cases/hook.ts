import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSession, startMissions } from '../bench-session.ts'
import { timeProgram, watchDirectory } from '../box.ts'
import { type Case, median } from '../comparison.ts'

interface Settings {
  hooks: Record<string, { hooks: { command: string }[] }[]>
}

const eventName = 'PostToolUse'

/**
 * Runs the command that a real wrapper gave its Claude, as Claude runs it: with sh, and the event on stdin. The wrapper
 * deletes the event's file once the event is stored, so the empty spool is the end of the measurement.
 */
export const hook: Case = {
  prepare: async box => {
    const [mission] = await startMissions(box, openSession(box), 1)
    const { run } = box.paths.mission(mission!.id)
    const settings: Settings = JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8'))
    const { command } = settings.hooks[eventName]![0]!.hooks[0]!
    const input = exampleEvent(mission!.session_id)
    const spool = join(run, 'ev')
    const isSpoolEmpty = watchDirectory(box, spool, () => readdirSync(spool).length === 0)
    const untilReturnMs: number[] = []
    return {
      subject: async () => {
        const beforeMs = performance.now()
        untilReturnMs.push(timeProgram(box, '/bin/sh', ['-c', command], { input }))
        return (await isSpoolEmpty()) - beforeMs
      },
      floor: async () => timeProgram(box, '/bin/sh', ['-c', 'cat >/dev/null'], { input }),
      figures: () => [
        { label: 'Claude continues after', value: median(untilReturnMs), unit: 'ms', atMost: null },
      ],
    }
  },
}

/** About 1 KB, like most events. It does not change the mission's state, so the wrapper does not call tmux. */
function exampleEvent(sessionId: string): string {
  const output = 'x'.repeat(600)
  return `${JSON.stringify({
    session_id: sessionId,
    cwd: '/',
    permission_mode: 'default',
    hook_event_name: eventName,
    tool_name: 'Bash',
    tool_input: { command: 'git status' },
    tool_response: { stdout: output, stderr: '' },
  })}\n`
}
