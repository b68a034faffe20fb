import { basename } from 'node:path'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { Choice } from '../../editor/choose-editor.ts'
import { commandAt, configuredEditor, openWithWindow } from '../../editor/open-editor.ts'
import { runsInTerminal } from '../../editor/terminal-editors.ts'
import { usageError } from '../../errors.ts'
import { requireDirectory } from '../../git-work/rebuild-directory.ts'
import { awaitCopy } from '../../mission/await-copy.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { missionNow } from '../../mission/mission-now.ts'
import { currentWindow, type WindowId } from '../../tmux/current-window.ts'
import { openOtherWindow } from '../../tmux/windows.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    "Open a mission's directory in the configured editor. The command returns at once; the editor stays open. An editor for terminals, such as vi, gets a tmux window in the session, and elsewhere runs in this terminal.",
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission open 3f2a', 'agenc config set editor.name zed'],
  async run(context, { mission: word, json }) {
    const mission = await missionNow(context, word, async (context, mission) => {
      await awaitCopy(context, mission.id)
      requireDirectory(context, mission)
    })
    const choice = await configuredEditor(context)
    if (runsInTerminal(choice, context.env)) return openInTerminal(context, mission, choice, json)
    const editor = await openWithWindow(context, choice, mission.dir)
    const next = nextCommand(mission)
    if (json) context.out.line(JSON.stringify({ id: mission.id, dir: mission.dir, editor, next }))
    else {
      context.err.line(`Opened ${editor} at ${mission.dir}`)
      const where = mission.headless ? ' without a terminal; open it in a window with' : '; go to it with'
      const tip = mission.status === 'running' ? `It is running${where}` : 'Start Claude there with'
      context.err.line(`${tip}: ${next}`)
    }
    return 0
  },
})

/** In the session the editor gets a window after the mission's, elsewhere it runs in this terminal. */
async function openInTerminal(
  context: Context,
  mission: MissionJson,
  choice: Choice,
  json: boolean | undefined,
): Promise<number> {
  const { id, dir, short_id } = mission
  const command = commandAt(choice, dir)
  const here = currentWindow(context)
  if (!here && !(isInteractive(context) && context.out.isTerminal))
    throw usageError(`${choice.name} needs a terminal`, 'Run this in a terminal, or set editor.command.')
  if (json) context.out.line(JSON.stringify({ id, dir, editor: choice.name, next: nextCommand(mission) }))
  if (here) {
    const after = (mission.tmux_window as WindowId | null) ?? here.window
    const name = `${short_id} ${basename(command[0]!)}`
    openOtherWindow(here.tmux, { name, after, directory: dir, command, environment: { AGENC_HERE: id } })
    return 0
  }
  const [program, ...args] = command
  const all = { stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' } as const
  const done = await context.exec.stream(program!, args, { ...all, cwd: dir })
  return done.exitCode ?? 1
}

/** The command that, typed in the editor's terminal, leads to the mission. */
function nextCommand(mission: MissionJson): string {
  const runsWithoutTmux = mission.status === 'running' && mission.tmux_window === null && !mission.headless
  return `agenc mission ${runsWithoutTmux ? 'focus' : 'resume'} ${mission.short_id}`
}
