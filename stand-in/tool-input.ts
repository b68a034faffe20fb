import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Input } from './hook-decision.ts'
import type { Stage } from './stage.ts'

const pathTools = new Set(['Edit', 'Read', 'Write'])

/** The input as the hooks of a tool see it: paths absolute, defaults filled in. */
export function inputFor(stage: Stage, name: string, given: Input): Input {
  if (name === 'ExitPlanMode') return writtenPlan(stage)
  const input = { ...given }
  if (pathTools.has(name) && typeof input.file_path === 'string' && !isAbsolute(input.file_path)) {
    input.file_path = resolve(stage.session.cwd, input.file_path)
  }
  if (name === 'Edit') input.replace_all ??= false
  if (name === 'Agent') delete input.run_in_background
  return input
}

/** The input as PostToolBatch tells it: what the model gave, completed but not resolved. */
export function batchInput(stage: Stage, name: string, given: Input): Input {
  if (name === 'ExitPlanMode') return { ...given, ...writtenPlan(stage) }
  return name === 'Edit' ? { replace_all: false, ...given } : given
}

/** A plan is read from its file, whatever the model passes along. */
function writtenPlan({ session }: Stage): Input {
  const planFilePath = session.planFile()
  return existsSync(planFilePath) ? { plan: readFileSync(planFilePath, 'utf8'), planFilePath } : {}
}
