import { once } from 'node:events'
import { resolve } from 'node:path'
import { AgencError } from '../errors.ts'
import type { Runner } from '../system/runner.ts'
import type { Choice } from './choose-editor.ts'

/** Facts about the terminal agenc runs in; a terminal inside the editor would take them for its own. */
const ownTerminal = [
  'TMUX',
  'TMUX_PANE',
  'WINDOWID',
  'AGENC_TMUX',
  'AGENC_MISSION_UUID',
  'AGENC_PARENT_WINDOW',
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
]

/** Resolves as soon as the editor runs; it outlives this process and its terminal. */
export async function openEditor(
  exec: Runner,
  choice: Choice,
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const [program, ...args] = choice.command.map(word => word.replaceAll('{dir}', () => resolve(dir)))
  const options = { cwd: dir, env: without(env, ownTerminal), stdio: 'ignore', detached: true } as const
  try {
    const child = exec.start(program!, args, options)
    child.unref()
    await once(child, 'spawn')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AgencError(
      `cannot start ${choice.name}: ${why}`,
      `Is ${dir} still there? Try it by hand: ${program}`,
    )
  }
}

function without(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

/** Over ssh an editor may start and show itself nowhere. */
export function displayWarning(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | null {
  const canShow = platform === 'darwin' || env.DISPLAY || env.WAYLAND_DISPLAY || env.VSCODE_IPC_HOOK_CLI
  return canShow ? null : 'there is no display here: the editor may not be able to show itself'
}
