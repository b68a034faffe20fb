import { cleanText } from '../io/text.ts'

/** `owner/name` where the host is the usual one, the whole id elsewhere. */
export function displayRepo(repo: string): string {
  return cleanText(repo.replace(/^github\.com\//, ''))
}

/** What people call a mission: its name, else its repo. */
export function displayName(mission: { name: string | null; repo: string | null }): string {
  if (mission.name) return cleanText(mission.name)
  return mission.repo ? displayRepo(mission.repo) : '(blank)'
}
