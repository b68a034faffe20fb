import { AgencError } from '../errors.ts'
import { askGit, type GitOptions, type GitTools } from './git.ts'

/**
 * Settings that take every filter driver its program away. A repo's attributes choose the driver,
 * so without this it could have the user's programs run on its files.
 */
export function disabledFilters(tools: GitTools, repo: Pick<GitOptions, 'gitDir'>): string[] {
  const listed = askGit(tools, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'], repo)
  // 1: there are none.
  if (listed.exitCode !== 0 && listed.exitCode !== 1) throw new AgencError('cannot read its git settings')
  const drivers = new Set(
    listed.stdout.split('\0').map(key => key.slice('filter.'.length, key.lastIndexOf('.'))),
  )
  drivers.delete('')
  return [...drivers].flatMap(driver => disable(driver))
}

function disable(driver: string): string[] {
  // `-c` ends the key at the first `=`, so such a driver cannot be addressed.
  if (driver.includes('=')) throw new AgencError(`cannot switch off the git filter ${JSON.stringify(driver)}`)
  return [
    ...['clean', 'smudge', 'process'].map(command => `filter.${driver}.${command}=`),
    `filter.${driver}.required=false`,
  ]
}
