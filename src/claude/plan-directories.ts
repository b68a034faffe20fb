import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { realPathOf } from '../io/files.ts'
import type { ClaudeLocations } from './claude-locations.ts'
import { isObject } from './hook-event.ts'

/** Where Claude may keep plans: below its own directory, or where a settings file wants them in the project. */
export function planDirectories({ directory, plans }: ClaudeLocations, project: string): string[] {
  const settings = [
    join(directory, 'settings.json'),
    join(project, '.claude', 'settings.json'),
    join(project, '.claude', 'settings.local.json'),
  ]
  const chosen = settings.map(wishedDirectory).filter(wish => wish !== null)
  return [plans, ...chosen.map(wish => resolve(project, wish))].map(realPathOf)
}

function wishedDirectory(settingsPath: string): string | null {
  try {
    const settings: unknown = JSON.parse(readFileSync(settingsPath, 'utf8'))
    return isObject(settings) && typeof settings.plansDirectory === 'string' ? settings.plansDirectory : null
  } catch {
    return null
  }
}
