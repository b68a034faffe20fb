import { homedir } from 'node:os'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { sourceOf } from '../repo/repo-source.ts'
import { askText, askYesNo, choose, type Option } from './ask.ts'
import { nearbyRepos } from './nearby-repos.ts'

/** null: none for now. */
export async function askRepo(context: Context, isFirst: boolean): Promise<string | null> {
  const { cwd, env, paths } = context
  const home = env.HOME || homedir()
  const found = nearbyRepos({ cwd, home, except: paths.home })
  const other = ''
  const options: Option<string | null>[] = [
    ...found.map(path => ({ value: path, name: cleanText(path.replace(`${home}/`, '~/')) })),
    { value: other, name: 'another one', about: 'owner/name (GitHub), a git URL, or a path' },
    { value: null, name: 'none for now' },
  ]
  const chosen = await choose(context, {
    message: isFirst ? 'First repo' : 'A further repo',
    why: 'Missions are copied from a library of repos; yours stays as it is.',
    options,
    fallback: isFirst ? (found[0] ?? other) : null,
  })
  return chosen === other ? askOtherRepo(context) : chosen
}

async function askOtherRepo(context: Context): Promise<string | null> {
  const text = await askText(
    context,
    { message: 'Repo', why: 'owner/name (GitHub), a git URL, or a path. Empty: none.', fallback: '' },
    word => (word === '' ? null : repoProblem(context, word)),
  )
  return text || null
}

function repoProblem(context: Context, word: string): string | null {
  try {
    sourceOf(context, word, context.cwd)
    return null
  } catch (error) {
    if (isAgencError(error)) return error.message
    throw error
  }
}

export function askTrust(context: Context): Promise<boolean> {
  return askYesNo(context, {
    message: 'Do you trust this repo?',
    why: 'Its filters and its setup may then run, and Claude works in it without asking you first.',
    fallback: false,
  })
}
