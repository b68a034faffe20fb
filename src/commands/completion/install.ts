import { defineCommand, jsonOption } from '../../cli/command.ts'
import { install, installationFor, shellNamed, shellOf, shells } from '../../cli/completion/shell-scripts.ts'
import { usageError } from '../../errors.ts'
import { confirmOrFlag } from '../../io/prompt.ts'

interface Input {
  shell?: string
  yes?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Write the completion script to the directory where your shell looks for it. Your own shell files are not changed.',
  options: [
    { flags: '--shell <shell>', description: 'bash, zsh or fish (default: the one in $SHELL)' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
    jsonOption,
  ],
  examples: ['agenc completion install', 'agenc completion install --shell fish --yes'],
  async run(context, { shell: word, yes, json }) {
    const shell = word === undefined ? shellOf(context.env) : shellNamed(word)
    if (shell === null)
      throw usageError('there is no completion for the shell in $SHELL', `Pass --shell ${shells.join('|')}.`)
    const installation = installationFor(context, shell)
    const { path, next, isInstalled } = installation
    if (!isInstalled) {
      await confirmOrFlag(context, `Write the completion script for ${shell} to ${path}?`, yes)
      install(installation)
    }
    if (json) context.out.line(JSON.stringify({ shell, path, next }))
    else {
      context.err.line(isInstalled ? `Already installed: ${path}` : `Wrote ${path}`)
      context.err.line(next)
    }
    return 0
  },
})
