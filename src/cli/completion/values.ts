import type { Context } from '../../context.ts'
import type { Values } from './candidates.ts'
import { type Answer, type Candidate, nothing, type Tree } from './command-tree.ts'

/** Each loads only what it needs: at a press of Tab every module counts. */
export function valuesFrom(context: Context, settings: Tree['settings']): Values {
  return async (kind, command, before) => {
    switch (kind) {
      case 'mission':
      case 'missions':
        return without(await (await import('./stored-names.ts')).missions(context, command), before)
      case 'repo':
      case 'repos':
        if (command === 'repo add' || command === 'setup') return 'dirs'
        return without(await (await import('./stored-names.ts')).repos(context), before)
      case 'key':
        return command === 'setup' ? nothing : keys(context, settings)
      case 'value':
        return /permission_mode$/.test(before[0] ?? '') ? modes() : wordsFor(settings, before[0] ?? '')
      case 'editor':
        return wordsFor(settings, 'editor.name')
      case 'mode':
        return modes()
      case 'who':
        return approvals()
      case 'shell':
        return ['bash', 'zsh', 'fish'].map(value => ({ value, description: '' }))
      case 'how':
        return ['message', 'bell', 'both', 'none'].map(value => ({ value, description: '' }))
      case 'dir':
        return 'dirs'
      default:
        return nothing
    }
  }
}

async function keys(context: Context, settings: Tree['settings']): Promise<Candidate[]> {
  const repos = await (await import('./stored-names.ts')).repoIds(context)
  return settings.flatMap(({ key, description }) => {
    const names = key.includes('*') ? repos.map(repo => key.replace('*', () => repo)) : [key]
    return names.map(value => ({ value, description }))
  })
}

/** A repo's setting is found by its last part. */
function wordsFor(settings: Tree['settings'], key: string): Candidate[] {
  const pattern = key.replace(/^repos\..*\./, 'repos.*.')
  const words = settings.find(setting => setting.key === pattern)?.values ?? []
  return words.map(value => ({ value, description: '' }))
}

async function modes(): Promise<Answer> {
  const { modeAliases, permissionModes } = await import('../../mission/mode-meanings.ts')
  return [...permissionModes, ...modeAliases].map(({ name, meaning }) => ({
    value: name,
    description: meaning,
  }))
}

async function approvals(): Promise<Answer> {
  const { approveMeanings } = await import('../../mission/mode-meanings.ts')
  return approveMeanings.map(({ name, meaning }) => ({ value: name, description: meaning }))
}

function without(candidates: readonly Candidate[], used: readonly string[]): Candidate[] {
  return candidates.filter(({ value }) => !used.includes(value))
}
