import { type Command, defineCommand, jsonOption } from '../../cli/command.ts'
import { type Shell, scripts } from '../../cli/completion/shell-scripts.ts'

export function printScript(shell: Shell, example: string): Command<{ json?: boolean }> {
  return defineCommand<{ json?: boolean }>({
    description: `Print the completion script for ${shell}.`,
    options: [jsonOption],
    examples: [example],
    run({ out }, { json }) {
      if (json) out.line(JSON.stringify({ shell, script: scripts[shell] }))
      else out.write(scripts[shell])
      return 0
    },
  })
}
