import { existsSync, writeFileSync } from 'node:fs'
import { defineCommand } from '../../cli/command.ts'
import { usageError } from '../../errors.ts'
import { isMissionId } from '../../mission-id.ts'
import { runInTerminal } from '../../wrapper/in-terminal.ts'

interface Input {
  mission: string
  resume?: boolean
  prompt?: string
}

export default defineCommand<Input>({
  description: 'Run one mission in this terminal. For internal use.',
  arguments: [{ name: 'mission', description: 'its full id', required: true }],
  options: [
    { flags: '--resume', description: 'continue its conversation' },
    { flags: '--prompt <text>', description: 'the first prompt for Claude' },
  ],
  examples: ['agenc mission _run-wrapper 3f2a91bc-…'],
  async run(context, { mission: id, prompt }) {
    if (!isMissionId(id)) throw usageError(`${JSON.stringify(id)} is not a mission id`, 'Give the full id.')
    const { root, prompt: promptPath } = context.paths.mission(id)
    if (!existsSync(root)) throw usageError(`there is no mission ${id}`, "Run 'agenc mission ls -a'.")
    if (prompt !== undefined) writeFileSync(promptPath, prompt, { mode: 0o600 })
    return runInTerminal(context, id)
  },
})
