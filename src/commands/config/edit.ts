import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from '../../cli/command.ts'
import { editPrefix, emptyConfig, replaceConfig, writeSchemaInto } from '../../config/config-file.ts'
import { readConfigText } from '../../config/config-text.ts'
import { parseConfig } from '../../config/parse.ts'
import { type Context, isInteractive } from '../../context.ts'
import { AgencError, Cancelled, usageError } from '../../errors.ts'
import { makePrivateDirectory } from '../../io/files.ts'
import { withLock } from '../../io/lock.ts'
import { confirm } from '../../io/prompt.ts'
import { makeTemporaryDirectory } from '../../io/temporary-directory.ts'
import { cleanText } from '../../io/text.ts'

export default defineCommand<Record<string, never>>({
  description:
    'Open the settings in $VISUAL or $EDITOR. What you save is checked before it replaces the file.',
  examples: ['agenc config edit', 'EDITOR=nano agenc config edit'],
  async run(context) {
    if (!isInteractive(context))
      throw usageError('config edit needs a terminal', "Use 'agenc config set' in scripts.")
    makePrivateDirectory(context.paths.home)
    const directory = makeTemporaryDirectory(join(context.paths.home, editPrefix))
    try {
      writeSchemaInto(directory.path)
      await editCopy(context, join(directory.path, 'config.json'))
    } finally {
      directory.remove()
    }
    return 0
  },
})

async function editCopy(context: Context, copy: string): Promise<void> {
  const original = readConfigText(context.paths.config)
  const before = original ?? emptyConfig
  writeFileSync(copy, before, { mode: 0o600 })
  for (;;) {
    await runEditor(context, copy)
    const text = readFileSync(copy, 'utf8')
    const parsed = parseConfig(text)
    if (parsed.ok) {
      if (text === before) return context.err.line('Nothing changed.')
      return saveUnlessChanged(context.paths.config, original, copy, text)
    }
    const { line, key, message } = parsed.problem
    context.err.line(`agenc: line ${line}:${key ? ` ${cleanText(key)}` : ''} ${message}`)
    if (!(await confirm(context, 'Edit again? (No leaves the settings as they were)', true)))
      throw new Cancelled()
  }
}

/** $EDITOR may hold arguments, as in `code --wait`, and quotes around a path with spaces. */
export function editorCommand(env: NodeJS.ProcessEnv): string[] {
  const words = (env.VISUAL || env.EDITOR || '').match(/"[^"]*"|'[^']*'|\S+/g) ?? ['vi']
  return words.map(word => word.replace(/^(["'])(.*)\1$/, '$2'))
}

async function runEditor(context: Context, file: string): Promise<void> {
  const [program = 'vi', ...options] = editorCommand(context.env)
  const done = await context.exec.stream(program, [...options, file], {
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if (done.missing)
    throw new AgencError(`the editor ${program} is not installed`, 'Set EDITOR to one that is.')
  if (done.exitCode !== 0)
    throw new AgencError(`${program} ended with an error`, 'The settings are unchanged.')
}

/** Neither of two people's changes is lost: the one who comes second finds his beside the file. */
async function saveUnlessChanged(
  path: string,
  original: string | null,
  copy: string,
  text: string,
): Promise<void> {
  await withLock(path, () => {
    if (readConfigText(path) === original) return replaceConfig(path, text)
    const kept = `${path}.edited`
    renameSync(copy, kept)
    throw new AgencError(
      'the settings were changed by somebody else meanwhile',
      `They are as the other one left them; your version is in ${kept}.`,
    )
  })
}
