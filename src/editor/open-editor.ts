import { once } from 'node:events'
import { resolve } from 'node:path'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { portVariableNames } from '../system/port-block.ts'
import type { Runner } from '../system/runner.ts'
import { type Choice, chooseEditor, hasDisplay } from './choose-editor.ts'
import { runsInTerminal } from './terminal-editors.ts'

/** Variables that describe the terminal of agenc. A terminal inside the editor would take them for its own. */
const ownTerminal = [
  'TMUX',
  'TMUX_PANE',
  'WINDOWID',
  'AGENC_TMUX',
  'AGENC_MISSION_UUID',
  'AGENC_PARENT_WINDOW',
  ...portVariableNames,
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
]

type Machine = Pick<Context, 'env' | 'exec' | 'err' | 'paths'>

/** The configured editor, or the one that is taken instead. */
export async function configuredEditor({ env, err, paths }: Machine): Promise<Choice> {
  const choice = chooseEditor((await readConfig(paths)).editor, { platform: process.platform, env })
  for (const warning of choice.warnings) err.line(`agenc: ${warning}; opening ${choice.name} instead`)
  return choice
}

/** Opens the configured editor at a directory. Resolves to the editor's name once it runs. */
export async function openConfiguredEditor(machine: Machine, dir: string): Promise<string> {
  const choice = await configuredEditor(machine)
  if (runsInTerminal(choice, machine.env))
    throw new AgencError(
      `${choice.name} needs a terminal`,
      "Open it with 'agenc mission open', or set editor.command.",
    )
  return openWithWindow(machine, choice, dir)
}

/** Opens an editor that has a window of its own. */
export async function openWithWindow(
  { env, exec, err }: Machine,
  choice: Choice,
  dir: string,
): Promise<string> {
  const noDisplay = displayWarning(process.platform, env)
  if (noDisplay) err.line(`agenc: ${noDisplay}`)
  await openEditor(exec, choice, dir, env)
  return choice.name
}

/** Resolves as soon as the editor runs. It outlives this process and its terminal. */
export async function openEditor(
  exec: Runner,
  choice: Choice,
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const [program, ...args] = commandAt(choice, dir)
  const options = { cwd: dir, env: without(env, ownTerminal), stdio: 'ignore', detached: true } as const
  try {
    const child = exec.start(program!, args, options)
    child.unref()
    await once(child, 'spawn')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AgencError(
      `cannot start ${choice.name}: ${why}`,
      `Check that ${dir} exists, and try ${program} by hand.`,
    )
  }
}

export function commandAt({ command }: Choice, dir: string): string[] {
  return command.map(word => word.replaceAll('{dir}', () => resolve(dir)))
}

function without(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

export function displayWarning(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | null {
  if (hasDisplay({ platform, env })) return null
  return 'there is no display, so the editor may not be able to show a window'
}
