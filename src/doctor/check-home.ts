import { chmodSync, existsSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import { shellWord } from '../io/shell-quote.ts'
import { type Finding, ok, problem } from './finding.ts'

const privateDirectory = 0o700
const privateFile = 0o600

/** What others could read of it. Links are followed: what they lead to is what counts. */
export function checkHome({ paths }: Context): Finding[] {
  if (!existsSync(paths.home)) return [ok('home', `${paths.home} is not there yet; it is made when needed`)]
  const stats = statSync(paths.home)
  if (!stats.isDirectory())
    return [
      problem('home', `${paths.home} is not a directory`, 'Move it away, or set AGENC_DIRPATH to another.'),
    ]
  if (stats.uid !== process.getuid?.())
    return [
      problem(
        'home',
        `${paths.home} belongs to somebody else`,
        `sudo chown -R "$USER" ${shellWord(paths.home)}`,
      ),
    ]
  const open = [
    ...[paths.home, paths.repos, paths.missions].flatMap(path => tooOpen(path, privateDirectory)),
    ...privateFiles(paths.home).flatMap(path => tooOpen(path, privateFile)),
  ]
  return open.length === 0 ? [ok('home', `${paths.home}, yours alone`)] : open
}

function privateFiles(home: string): string[] {
  const names = ['config.json', 'database.sqlite', 'database.sqlite-wal', 'database.sqlite-shm']
  return names.map(name => join(home, name))
}

function tooOpen(path: string, wanted: number): Finding[] {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.mode & 0o077) === 0) return []
  const mode = wanted.toString(8)
  const others = `others can get at ${basename(path)} (mode ${(stats.mode & 0o777).toString(8)})`
  return [
    problem('home', others, `chmod ${mode} ${shellWord(path)}`, () => {
      chmodSync(path, wanted)
      return `chmod ${mode} ${path}`
    }),
  ]
}
