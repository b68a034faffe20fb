import { readFileSync } from 'node:fs'
import { AgencError, errorCode } from '../errors.ts'
import { realPathOf, writeFileAtomically } from '../io/files.ts'
import { withLock } from '../io/lock.ts'

interface GlobalConfig {
  projects?: Record<string, { hasTrustDialogAccepted?: boolean }>
}

/** Whether the directory has its own entry. Claude accepts a trusted parent only for a directory that is not a repo. */
export function isTrusted(configPath: string, directory: string): boolean {
  const { projects } = readGlobalConfig(configPath)
  return projects?.[realPathOf(directory)]?.hasTrustDialogAccepted === true
}

/** Marks the directory as trusted, under the lock that Claude itself uses. All other entries are kept. */
export async function trustDirectory(configPath: string, directory: string): Promise<void> {
  if (isTrusted(configPath, directory)) return
  const project = realPathOf(directory)
  await changeProjects(configPath, projects => {
    projects[project] = { ...projects[project], hasTrustDialogAccepted: true }
  })
}

/** Works even if the directory no longer exists. */
export async function forgetDirectory(configPath: string, directory: string): Promise<void> {
  const project = realPathOf(directory)
  if (!Object.hasOwn(readGlobalConfig(configPath).projects ?? {}, project)) return
  await changeProjects(configPath, projects => {
    delete projects[project]
  })
}

async function changeProjects(
  configPath: string,
  change: (projects: NonNullable<GlobalConfig['projects']>) => void,
): Promise<void> {
  await withLock(configPath, () => {
    const config = readGlobalConfig(configPath)
    config.projects ??= {}
    change(config.projects)
    writeFileAtomically(configPath, JSON.stringify(config, null, 2), { durable: true })
  })
}

/** Throws if the file is not valid JSON, so that it is never overwritten. */
function readGlobalConfig(path: string): GlobalConfig {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as GlobalConfig
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw new AgencError(
      `cannot read Claude's ${path}: ${(error as Error).message}`,
      'Run claude once by hand. It repairs the file or explains the problem.',
    )
  }
}
