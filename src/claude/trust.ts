import { readFileSync } from 'node:fs'
import { AgencError, errorCode } from '../errors.ts'
import { realPathOf, writeFileAtomically } from '../io/files.ts'
import { withLock } from '../io/lock.ts'

interface GlobalConfig {
  projects?: Record<string, { hasTrustDialogAccepted?: boolean }>
}

/** Has this very directory an entry? A trusted parent would do only for a directory that is no repo of its own. */
export function isTrusted(configPath: string, directory: string): boolean {
  const { projects } = readGlobalConfig(configPath)
  return projects?.[realPathOf(directory)]?.hasTrustDialogAccepted === true
}

/** Enters the directory as trusted, under the lock that Claude itself uses; everything else is kept. */
export async function trustDirectory(configPath: string, directory: string): Promise<void> {
  if (isTrusted(configPath, directory)) return
  const project = realPathOf(directory)
  await changeProjects(configPath, projects => {
    projects[project] = { ...projects[project], hasTrustDialogAccepted: true }
  })
}

/** The directory itself may be gone already. */
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
