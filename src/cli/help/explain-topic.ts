import { defaultConfig, readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import { render } from './render.ts'
import { topicNamed } from './topics.ts'

/** `agenc help <topic>`; false where the words are no such thing. A topic comes before a noun of its name. */
export async function explainTopic(
  context: Context,
  [word, name, ...rest]: readonly string[],
): Promise<boolean> {
  const topic = word === 'help' && name && rest.length === 0 ? topicNamed(name) : undefined
  if (!topic) return false
  const { default: text } = await topic.load()
  context.out.line(render(text(await configOrDefault(context)), context.out.columns))
  return true
}

/** A user with a broken settings file still needs help pages. */
async function configOrDefault({ paths }: Context): Promise<Config> {
  try {
    return await readConfig(paths)
  } catch {
    return defaultConfig
  }
}
