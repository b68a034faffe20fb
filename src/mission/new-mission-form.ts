import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { ask, type Choice } from '../io/prompt.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../io/temporary-directory.ts'
import { editFile, editorCommand } from '../io/text-editor.ts'
import { isRefName } from '../repo/ref-names.ts'
import { modesOfClaude } from './check-mode.ts'
import { approveMeanings, modeAliases, permissionModes } from './mode-meanings.ts'

/** What the form asks for. A question without an answer leaves the choice to the settings. */
export interface FormAnswers {
  prompt?: string
  name?: string
  permissionMode?: string
  approve?: string
  model?: string
  base?: string
  branch?: string
}

const asInSettings = { name: 'as in the settings', value: '' }
const editorWord = 'e'

/** Asks for everything that a new mission can be started with. Enter alone skips a question. */
export async function askForMission(
  context: Context,
  { isOnRepo }: { isOnRepo: boolean },
): Promise<FormAnswers> {
  const answers = {
    prompt: await askPrompt(context),
    name: await line(context, 'Name'),
    permissionMode: await choice(context, 'Permission mode', await modeChoices(context)),
    approve: await choice(
      context,
      'Approvals',
      approveMeanings.map(({ name, meaning }) => ({ name, value: name, description: meaning })),
    ),
    model: await line(context, 'Model'),
    base: isOnRepo ? await line(context, 'Base (a branch, tag or commit)', isRefName) : '',
    branch: isOnRepo ? await line(context, 'Branch', isRefName) : '',
  }
  return Object.fromEntries(Object.entries(answers).filter(([, text]) => text.trim() !== ''))
}

async function askPrompt(context: Context): Promise<string> {
  const [editor] = editorCommand(context.env)
  const text = await line(context, `Prompt (one line; ${editorWord} to write it in ${editor})`)
  return text.trim() === editorWord ? writtenInEditor(context) : text
}

async function writtenInEditor(context: Context): Promise<string> {
  const directory = makeTemporaryDirectoryIn(temporaryPlaces(context.paths.home), 'agenc-prompt-')
  try {
    const file = join(directory.path, 'prompt.md')
    writeFileSync(file, '', { mode: 0o600 })
    await editFile(context, file, 'No mission was started.')
    return readFileSync(file, 'utf8').trimEnd()
  } finally {
    directory.remove()
  }
}

async function modeChoices(context: Context): Promise<Choice<string>[]> {
  const meanings = [...permissionModes, ...modeAliases]
  const names = (await modesOfClaude(context)) ?? permissionModes.map(({ name }) => name)
  return names.map(name => ({
    name,
    value: name,
    description: meanings.find(mode => mode.name === name)?.meaning,
  }))
}

function line(
  context: Context,
  message: string,
  isValid: (text: string) => boolean = () => true,
): Promise<string> {
  const validate = (text: string) => text === '' || isValid(text) || 'That is not a valid name.'
  return ask(context, (prompts, promptContext) =>
    prompts.input({ message: `${message}:`, validate }, promptContext),
  )
}

function choice(context: Context, message: string, choices: readonly Choice<string>[]): Promise<string> {
  return ask(context, (prompts, promptContext) =>
    prompts.select({ message: `${message}:`, choices: [asInSettings, ...choices] }, promptContext),
  )
}
