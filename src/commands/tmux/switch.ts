import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { usageError } from '../../errors.ts'
import { pick } from '../../io/picker.ts'
import { ago } from '../../io/relative-time.ts'
import { listMissionsNow } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { repoOrDirectory } from '../../mission/naming.ts'
import { stateWord } from '../../mission/state-word.ts'
import { findProgram } from '../../system/find-program.ts'
import type { WindowId } from '../../tmux/current-window.ts'
import { switchScript } from '../../tmux/picker-scripts.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { goToWindow } from '../../tmux/windows.ts'

interface Input {
  plain?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Pick a mission and go to its window. Missions that wait for you come first.',
  options: [{ flags: '--plain', description: 'for internal use', hidden: true }, jsonOption],
  examples: ['agenc tmux switch'],
  async run(context, { plain = false, json }) {
    const missions = (await listMissionsNow(context, { needsWindows: true })).filter(
      ({ tmux_window }) => tmux_window !== null,
    )
    if (json) context.out.line(JSON.stringify(missions))
    else if (missions.length === 0) context.err.line('No mission has a window.')
    else return pickAndGo(context, missions, { plain })
    return 0
  },
})

/** switcher.sh passes `--plain` if fzf is missing or too old for its options. */
async function pickAndGo(
  context: Context,
  missions: readonly MissionJson[],
  { plain }: { plain: boolean },
): Promise<number> {
  if (!isInteractive(context))
    throw usageError('Not a terminal.', "Run 'agenc tmux switch' in a terminal, or use --json.")
  const tmux = tmuxOf(context)
  const fzf = plain ? null : findProgram('fzf', context.env)
  if (fzf !== null) {
    const [program, ...args] = switchScript(context, tmux, fzf)
    const done = await context.exec.stream(program!, args, {
      stdin: 'inherit',
      stdout: 'inherit',
      stderr: 'inherit',
    })
    return done.exitCode ?? 1
  }
  const now = context.now()
  const rows = missions.map(mission => ({
    value: mission,
    cells: [
      stateWord(mission),
      mission.name ?? mission.about ?? '',
      repoOrDirectory(mission),
      ago(mission.waiting_since ?? mission.last_active_at, now),
      mission.short_id,
    ],
  }))
  const chosen = await pick(context, 'Switch to a mission', rows)
  goToWindow(context, tmux, chosen.tmux_window as WindowId)
  return 0
}
