import type { Context } from '../../context.ts'
import { type Answer, answer, type Candidate, type CommandTree, type Values } from './candidates.ts'

/**
 * `agenc _complete -- words…`, which the shells' completion scripts call. Prints one candidate per line, with a tab
 * and its description. Prints nothing if anything fails: a half-typed line is no place for an error message.
 */
export async function complete(
  context: Context,
  tree: CommandTree,
  argv: readonly string[],
): Promise<number> {
  const words = argv.slice(argv.indexOf('--') + 1).map(unquoted)
  try {
    const found = await answer(tree, words, valuesFrom(context, tree.settings))
    context.out.write(typeof found === 'string' ? `:${found}\n` : found.map(line).join(''))
  } catch {}
  return 0
}

/** Some shells pass words as they were typed, with their quotes, or with a quote that is still open. */
function unquoted(word: string): string {
  return /^["']/.test(word) ? word.replace(/^(["'])(.*?)\1?$/, '$2') : word.replace(/\\(.)/g, '$1')
}

function line({ value, description }: Candidate): string {
  return `${value}\t${description.replace(/\s+/g, ' ')}\n`
}

/** Loads the store and the lists of modes only for the kinds that need them. */
function valuesFrom(context: Context, settings: CommandTree['settings']): Values {
  return async (kind, before) => {
    switch (kind) {
      case 'mission':
      case 'missions':
        return (await storedNames()).missions(context, before, status => status !== 'archived')
      case 'running missions':
        return (await storedNames()).missions(context, before, status => status === 'running')
      case 'archived missions':
        return (await storedNames()).missions(context, before, status => status === 'archived')
      case 'missions not running':
        return (await storedNames()).missions(context, before, status => status !== 'running')
      case 'loop':
        return except(before, (await storedNames()).loops(context))
      case 'repos and missions':
        return [
          ...(await (await storedNames()).repos(context)),
          ...(await (await storedNames()).missions(context, before, status => status !== 'archived')),
        ]
      case 'repo':
      case 'repos':
        return except(before, (await storedNames()).repos(context))
      case 'ref':
        return (await storedNames()).branches(context, before[0])
      case 'dir':
        return 'dirs'
      case 'key':
        return settingKeys(context, settings)
      case 'value':
        return /permission_mode$/.test(before[0] ?? '') ? modes() : settingValues(settings, before[0] ?? '')
      case 'editor':
        return settingValues(settings, 'editor.name')
      case 'mode':
        return modes()
      case 'who':
        return approveModes()
      case 'shell':
        return plainWords(['bash', 'zsh', 'fish'])
      case 'whom':
        return plainWords(['user', 'agent'])
      case 'decision':
        return plainWords(['allow', 'deny'])
      case 'state':
        return plainWords(['idle', 'waiting', 'end', 'any'])
      case 'how':
        return plainWords(['message', 'bell', 'both', 'none'])
      default:
        return []
    }
  }
}

function storedNames(): Promise<typeof import('./stored-names.ts')> {
  return import('./stored-names.ts')
}

async function settingKeys(context: Context, settings: CommandTree['settings']): Promise<Candidate[]> {
  const repos = await (await storedNames()).repoIds(context)
  return settings.flatMap(({ key, description }) => {
    const keys = key.includes('*') ? repos.map(repo => key.replace('*', () => repo)) : [key]
    return keys.map(value => ({ value, description }))
  })
}

function settingValues(settings: CommandTree['settings'], key: string): Candidate[] {
  const pattern = key.replace(/^repos\..*\./, 'repos.*.')
  return plainWords(settings.find(setting => setting.key === pattern)?.values ?? [])
}

async function modes(): Promise<Answer> {
  const { modeAliases, permissionModes } = await import('../../mission/mode-meanings.ts')
  return [...permissionModes, ...modeAliases].map(({ name, meaning }) => ({
    value: name,
    description: meaning,
  }))
}

async function approveModes(): Promise<Answer> {
  const { approveMeanings } = await import('../../mission/mode-meanings.ts')
  return approveMeanings.map(({ name, meaning }) => ({ value: name, description: meaning }))
}

function plainWords(words: readonly string[]): Candidate[] {
  return words.map(value => ({ value, description: '' }))
}

async function except(used: readonly string[], candidates: Promise<Candidate[]>): Promise<Candidate[]> {
  return (await candidates).filter(({ value }) => !used.includes(value))
}
