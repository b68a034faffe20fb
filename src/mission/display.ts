import { cleanText } from '../io/clean.ts'
import { displayRepo } from '../repo/reference.ts'

export { displayRepo }

/** What people call a mission: its name, else its repo. */
export function displayName(mission: { name: string | null; repo: string | null }): string {
  if (mission.name) return cleanText(mission.name)
  return mission.repo ? displayRepo(mission.repo) : '(blank)'
}
