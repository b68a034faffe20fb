import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'
import { withLock } from '../io/lock.ts'

interface GlobalConfig {
  projects?: Record<string, { hasTrustDialogAccepted?: boolean }>
}

/** Will Claude open its trust dialog here? Parents count only where the directory is not a repo of its own. */
export function isTrusted(configPath: string, directory: string): boolean {
  const { projects } = readGlobalConfig(configPath)
  return projects?.[realpathSync(directory)]?.hasTrustDialogAccepted === true
}

/** Enters the directory as trusted, under the lock that Claude itself uses; everything else is kept. */
export async function trustDirectory(configPath: string, directory: string): Promise<void> {
  if (isTrusted(configPath, directory)) return
  const project = realpathSync(directory)
  await changeProjects(configPath, projects => {
    projects[project] = { ...projects[project], hasTrustDialogAccepted: true }
  })
}

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
    writeFileAtomically(configPath, JSON.stringify(config, null, 2))
  })
}

/** A file that cannot be understood is never written over. */
function readGlobalConfig(path: string): GlobalConfig {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as GlobalConfig
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw new AgencError(
      `Claude's own ${path} cannot be read: ${(error as Error).message}`,
      'Start claude once by hand; it repairs the file or says what is wrong with it.',
    )
  }
}

/** The directory itself may be gone already. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    const parent = dirname(directory)
    return parent === directory ? directory : join(realPathOf(parent), directory.slice(parent.length + 1))
  }
}
