import { configError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { isRefName, refPartFrom } from '../repo/ref-names.ts'

/**
 * The branch of a new mission, by the template `missions.branch`. Null for an empty template. A mission without a name
 * drops `{name}` with the sign that separates it. Words of a prompt are never used, because branch names get public.
 */
export function branchFrom(template: string, name: string | null, id: MissionId): string | null {
  if (template.trim() === '') return null
  const part = refPartFrom(name ?? '')
  const whole = part === '' ? withoutName(template) : template.replaceAll('{name}', () => part)
  const branch = whole.replaceAll('{id}', shortId(id))
  if (isRefName(branch)) return branch
  throw configError(
    `the setting missions.branch makes ${JSON.stringify(branch)}, which is not a valid name of a branch`,
    "Change it with: agenc config set missions.branch 'agenc/{name}-{id}'",
  )
}

function withoutName(template: string): string {
  if (!template.includes('{id}')) return template.replaceAll('{name}', '{id}')
  return template.replace(/\{name\}[-_./]/g, '').replace(/[-_.]?\{name\}/g, '')
}
