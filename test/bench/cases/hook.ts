import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Box } from '../place/box.ts'
import { startMissions } from '../place/missions.ts'
import { openSession } from '../place/session.ts'
import { timeProgram } from '../place/timing.ts'
import { median } from '../statistics.ts'
import type { Case } from './case.ts'

interface Settings {
  hooks: Record<string, { hooks: { command: string }[] }[]>
}

const eventName = 'PostToolUse'

/**
 * The command that a running wrapper gave its Claude, run as Claude runs it: by sh, the event on its stdin.
 * Its end is when the wrapper has stored the event.
 */
export const hook: Case = {
  prepare: async box => {
    const [mission] = await startMissions(box, openSession(box), 1)
    const { run } = box.paths.mission(mission!.id)
    const settings: Settings = JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8'))
    const { command } = settings.hooks[eventName]![0]!.hooks[0]!
    const input = exampleEvent(mission!.session_id)
    const spool = watchSpool(box, join(run, 'ev'))
    const untilReturnMs: number[] = []
    return {
      subject: async () => {
        const beforeMs = performance.now()
        untilReturnMs.push(timeProgram(box, '/bin/sh', ['-c', command], { input }))
        return (await spool.emptied()) - beforeMs
      },
      floor: async () => timeProgram(box, '/bin/sh', ['-c', 'cat >/dev/null'], { input }),
      figures: () => [
        { label: 'Claude goes on after', value: median(untilReturnMs), unit: 'ms', atMost: null },
      ],
    }
  },
}

/** About one KB, as most are; none that changes the mission's state, so that nothing is told to tmux. */
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

/** An event is stored before its file is deleted. */
function watchSpool(box: Box, directory: string) {
  let onChange = () => {}
  const watcher = watch(directory, () => onChange())
  box.leftovers.add(() => watcher.close())
  return {
    emptied: () =>
      new Promise<number>(resolve => {
        onChange = () => {
          if (readdirSync(directory).length > 0) return
          onChange = () => {}
          resolve(performance.now())
        }
        onChange()
      }),
  }
}
