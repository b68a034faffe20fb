import { scripts } from '../../completion/scripts.ts'
import type { Shell } from '../../completion/shells.ts'
import { type Command, defineCommand, jsonOption } from '../command.ts'

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
