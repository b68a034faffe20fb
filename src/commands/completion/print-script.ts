import { type Command, defineCommand, jsonOption } from '../../cli/command.ts'
import { scripts } from '../../cli/completion/shell-scripts.ts'
import type { Shell } from '../../cli/completion/shells.ts'

export function printScript(shell: Shell, howToUse: string): Command<{ json?: boolean }> {
  return defineCommand<{ json?: boolean }>({
    description: `Print the completion script for ${shell}.`,
    options: [jsonOption],
    examples: [howToUse],
    run({ out }, { json }) {
      if (json) out.line(JSON.stringify({ shell, script: scripts[shell] }))
      else out.write(scripts[shell])
      return 0
    },
  })
}
