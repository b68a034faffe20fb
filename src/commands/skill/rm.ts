import { rmdirSync, rmSync } from 'node:fs'
import { installedSkill } from '../../claude/installed-skill.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { AgencError } from '../../errors.ts'
import { cleanText } from '../../io/text.ts'

interface Input {
  force?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: "Remove the skill that 'agenc skill install' has written.",
  options: [{ flags: '--force', description: 'also remove one that agenc did not write' }, jsonOption],
  examples: ['agenc skill rm'],
  run(context, { force, json }) {
    const { path, directory, state } = installedSkill(context)
    if (state === 'changed' && !force)
      throw new AgencError(
        `${cleanText(path)} was not written by agenc, or was changed since`,
        'Remove it with --force.',
      )
    if (state !== 'missing') rmSync(path)
    removeIfEmpty(directory)
    if (json) context.out.line(JSON.stringify({ path, removed: state !== 'missing' }))
    else context.err.line(`${state === 'missing' ? 'There is no' : 'Removed'} ${cleanText(path)}`)
    return 0
  },
})

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // The user may keep other files there.
  }
}
