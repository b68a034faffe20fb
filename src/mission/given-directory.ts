import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { listRepos } from '../db/repos.ts'
import { AgencError, errorCode, usageError } from '../errors.ts'
import { quoteForShell } from '../io/shell-quote.ts'
import { cleanText } from '../io/text.ts'
import { findRepoAtPath } from '../repo/repo-at-path.ts'
import { expandHome } from '../repo/repo-source.ts'

/** Checks the path that the user gave with `--dir`, and returns the real one. `isForced` allows an unusual one. */
export function givenDirectory(context: Context, text: string, { isForced }: { isForced: boolean }): string {
  const { env, paths, cwd } = context
  if (text === '') throw usageError('--dir needs a path')
  const path = readableDirectory(resolve(cwd, expandHome(text, env)))
  const agencHome = realPath(paths.home)
  const shown = cleanText(path)
  if (path === '/') throw usageError('/ cannot be the directory of a mission', 'Name a directory below it.')
  if (isIn(path, agencHome))
    throw usageError(
      `${shown} is inside agenc's own directory, ${agencHome}`,
      "To work on a mission's files, copy them with: agenc mission new --clone <mission>",
    )
  const what =
    path === realPath(expandHome('~', env))
      ? 'is your home directory'
      : isIn(agencHome, path)
        ? `contains agenc's own directory, ${agencHome}`
        : null
  if (what !== null && !isForced)
    throw new AgencError(
      `${shown} ${what}`,
      'Claude could change everything in it. If you want that, add --force.',
    )
  return path
}

function readableDirectory(path: string): string {
  const shown = cleanText(path)
  try {
    const real = realpathSync(path)
    if (!statSync(real).isDirectory()) throw usageError(`${shown} is not a directory`)
    accessSync(real, constants.R_OK | constants.X_OK)
    return real
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
        throw usageError(`${shown} does not exist`, `Create it with: mkdir -p ${quoteForShell(path)}`)
      case 'ENOTDIR':
        throw usageError(`${shown} is not a directory`)
      case 'EACCES':
        throw usageError(`${shown} cannot be read: permission denied`, 'Check its owner and its mode.')
    }
    throw error
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

/** The repo that was added from this path, or null. */
export function repoAddedFrom(context: Context, db: Database, path: string): string | null {
  if (!existsSync(join(path, '.git'))) return null
  try {
    const known = listRepos(db).map(({ id }) => id)
    return findRepoAtPath(context, known, path).id
  } catch {
    // The library could not have a repo with such a name.
    return null
  }
}
