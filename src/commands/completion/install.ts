import { defineCommand, jsonOption } from '../../cli/command.ts'
import { install, installationFor } from '../../cli/completion/install-script.ts'
import { shellNamed, shellOf, shells } from '../../cli/completion/shells.ts'
import { usageError } from '../../errors.ts'
import { confirmOrFlag } from '../../io/prompt.ts'

interface Input {
  shell?: string
  yes?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Put the completion script where your shell looks for it. Files that you wrote yourself are not touched.',
  options: [
    { flags: '--shell <shell>', description: 'bash, zsh or fish; left out: the one in $SHELL' },
    { flags: '-y, --yes', description: 'do not ask' },
    jsonOption,
  ],
  examples: ['agenc completion install', 'agenc completion install --shell fish --yes'],
  async run(context, { shell: word, yes, json }) {
    const shell = word === undefined ? shellOf(context.env) : shellNamed(word)
    if (shell === null)
      throw usageError('$SHELL names no shell that can be served', `Pass --shell ${shells.join('|')}.`)
    const place = installationFor(context, shell)
    if (!place.isThere) {
      await confirmOrFlag(context, `Write the completion for ${shell} to ${place.path}?`, yes)
      install(place)
    }
    const { path, next } = place
    if (json) context.out.line(JSON.stringify({ shell, path, next }))
    else {
      context.err.line(place.isThere ? `It is there already: ${path}` : `Wrote ${path}`)
      context.err.line(next)
    }
    return 0
  },
})
