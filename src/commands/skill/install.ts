import { installedSkill } from '../../claude/installed-skill.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { AgencError } from '../../errors.ts'
import { writeFileAtomically } from '../../io/files.ts'
import { cleanText } from '../../io/text.ts'

interface Input {
  force?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    "Write the page that 'agenc prime' prints into your Claude directory, as the skill agenc, so that every Claude of yours can run missions when you ask it to.",
  options: [
    { flags: '--force', description: 'replace a skill of that name that agenc did not write' },
    jsonOption,
  ],
  examples: ['agenc skill install'],
  run(context, { force, json }) {
    const { path, text, state } = installedSkill(context)
    if (state === 'changed' && !force)
      throw new AgencError(
        `${cleanText(path)} was not written by agenc, or was changed since`,
        'Replace it with --force.',
      )
    if (state !== 'current') writeFileAtomically(path, text)
    const isWritten = state !== 'current'
    if (json) context.out.line(JSON.stringify({ path, written: isWritten }))
    else context.err.line(`${isWritten ? 'Wrote' : 'Already there:'} ${cleanText(path)}`)
    return 0
  },
})
