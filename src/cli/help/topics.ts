import type { TopicText } from './topic.ts'

export interface Topic {
  summary: string
  load: () => Promise<{ default: TopicText }>
}

/** What `agenc help <topic>` explains; each text is loaded when it is asked for. */
export const topics: Record<string, Topic> = {
  keys: { summary: 'The keys of the agenc session', load: () => import('./keys-topic.ts') },
  states: { summary: 'What missions do, and what the words mean', load: () => import('./states-topic.ts') },
  modes: { summary: 'Permission modes, and which one counts', load: () => import('./modes-topic.ts') },
  approvals: { summary: 'Who answers permission requests', load: () => import('./approvals-topic.ts') },
  files: { summary: 'Where everything is kept', load: () => import('./files-topic.ts') },
  environment: { summary: 'Variables that are read and set', load: () => import('./environment-topic.ts') },
  json: { summary: 'Output for scripts', load: () => import('./json-topic.ts') },
  'exit-codes': { summary: 'What the exit codes say', load: () => import('./exit-codes-topic.ts') },
}

export function topicNamed(name: string): Topic | undefined {
  return Object.hasOwn(topics, name) ? topics[name] : undefined
}

const enoughColumns = 64

/** For the help of the program itself, which is loaded at every start: plain words, no measuring. */
export function topicList(columns: number): string {
  const width = Math.max(...Object.keys(topics).map(name => name.length))
  const between =
    columns < enoughColumns ? () => '\n    ' : (name: string) => ' '.repeat(width - name.length + 2)
  return Object.entries(topics)
    .map(([name, { summary }]) => `  ${name}${between(name)}${summary}`)
    .join('\n')
}
