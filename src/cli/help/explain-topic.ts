import { loadConfig } from '../../config/config-file.ts'
import { defaultConfig } from '../../config/parse.ts'
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
  context.out.line(render(text(configOrDefault(context)), context.out.columns))
  return true
}

/** Help is what somebody with a broken file needs most. */
function configOrDefault({ paths }: Context): Config {
  try {
    return loadConfig(paths.config)
  } catch {
    return defaultConfig
  }
}
