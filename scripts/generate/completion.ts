import type { Entry } from '../../src/cli/command.ts'
import type { CommandTree, KnownSetting, Leaf } from '../../src/cli/completion/candidates.ts'
import { topics } from '../../src/cli/help/topics.ts'
import { registry } from '../../src/commands/registry.ts'
import { type Setting, settings } from '../../src/config/settings.ts'

const { nouns, topLevel, shortForms } = registry

/** All that completion can offer without reading the store. */
export async function commandTree(): Promise<CommandTree> {
  const tree: CommandTree = {
    nouns: {},
    topLevel: await leaves(topLevel),
    topics: {},
    settings: [],
    shortForms,
  }
  for (const [name, { summary, verbs }] of Object.entries(nouns))
    tree.nouns[name] = { summary, verbs: await leaves(verbs) }
  for (const [name, { summary }] of Object.entries(topics)) tree.topics[name] = { summary }
  return { ...tree, settings: settings.map(known) }
}

async function leaves(entries: Readonly<Record<string, Entry>>): Promise<Record<string, Leaf>> {
  const found: Record<string, Leaf> = {}
  for (const [name, { summary, hidden, load, completes }] of Object.entries(entries)) {
    if (hidden) continue
    const { default: command } = await load()
    found[name] = {
      summary,
      arguments: (command.arguments ?? []).map(({ name, variadic }) => ({ name, variadic })),
      options: (command.options ?? [])
        .filter(option => !option.hidden)
        .map(({ flags, description }) => ({ flags, description })),
      ...(completes && { completes }),
    }
  }
  return found
}

function known({ key, description, schema }: Setting): KnownSetting {
  return { key, description, values: wordsOf(schema as unknown as Shape) }
}

interface Shape {
  type: string
  wrapped?: Shape
  options?: readonly unknown[]
}

function wordsOf(shape: Shape): string[] {
  if (shape.wrapped) return wordsOf(shape.wrapped)
  if (shape.type === 'boolean') return ['true', 'false']
  return shape.type === 'picklist' ? (shape.options ?? []).map(String) : []
}
