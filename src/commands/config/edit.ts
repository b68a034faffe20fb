import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from '../../cli/command.ts'
import { parseConfig } from '../../config/check.ts'
import { readConfigText } from '../../config/read.ts'
import { configuredRepos } from '../../config/repo-names.ts'
import type { Config } from '../../config/schema.ts'
import { editPrefix, emptyConfig, replaceConfig, writeSchemaInto } from '../../config/write.ts'
import { type Context, isInteractive } from '../../context.ts'
import { AgencError, Cancelled, usageError } from '../../errors.ts'
import { makePrivateDirectory } from '../../io/files.ts'
import { withLock } from '../../io/lock.ts'
import { confirm } from '../../io/prompt.ts'
import { makeTemporaryDirectory } from '../../io/temporary-directory.ts'
import { cleanText } from '../../io/text.ts'
import { editFile } from '../../io/text-editor.ts'
import { checkMode } from '../../mission/check-mode.ts'
import { repoConfig } from '../../mission/effective-settings.ts'
import type { Paths } from '../../paths.ts'
import { makerMark } from '../../system/maker.ts'

export default defineCommand<Record<string, never>>({
  description:
    'Open the settings in $VISUAL or $EDITOR. The file is replaced only if what you saved is valid.',
  examples: ['agenc config edit', 'EDITOR=nano agenc config edit'],
  async run(context) {
    if (!isInteractive(context))
      throw usageError('config edit needs a terminal', "Use 'agenc config set' in scripts.")
    makePrivateDirectory(context.paths.home)
    const directory = makeTemporaryDirectory(join(context.paths.home, editPrefix + makerMark()))
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
    await editFile(context, copy, 'The settings are unchanged.')
    const text = readFileSync(copy, 'utf8')
    const parsed = parseConfig(text)
    if (parsed.ok) {
      if (text === before) return context.err.line('Nothing changed.')
      await saveUnlessChanged(context.paths, original, copy, text)
      return warnOfModes(context, parsed.config)
    }
    const { line, key, message } = parsed.problem
    context.err.line(`agenc: line ${line}:${key ? ` ${cleanText(key)}` : ''} ${message}`)
    if (!(await confirm(context, 'Edit again? (No leaves the settings unchanged)', true)))
      throw new Cancelled()
  }
}

async function warnOfModes(context: Context, config: Config): Promise<void> {
  const ofRepos = configuredRepos(config).map(repo => repoConfig(repo, config))
  const modes = [config.claude, ...ofRepos].flatMap(settings => settings?.permission_mode ?? [])
  for (const mode of new Set(modes)) await checkMode(context, mode)
}

/** If the file changed while the editor was open, keeps both versions: the edited one goes into a file beside it. */
async function saveUnlessChanged(
  paths: Paths,
  original: string | null,
  copy: string,
  text: string,
): Promise<void> {
  await withLock(paths.config, () => {
    if (readConfigText(paths.config) === original) return replaceConfig(paths, text)
    const kept = `${paths.config}.edited`
    renameSync(copy, kept)
    throw new AgencError(
      'the settings changed while you edited them',
      `The other change was kept. Your version is in ${kept}.`,
    )
  })
}
