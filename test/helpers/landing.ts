import { existsSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { systemContext, withChanges } from '../../src/context.ts'
import { getMission, type MissionChange, type MissionRecord } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import type { Output } from '../../src/io/output.ts'
import { type MissionId, shortId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { libraryPath } from '../../src/repo/library.ts'
import { createWorkingCopy, remotesOf } from '../../src/repo/working-copy.ts'
import { type Ran, type Sandbox, sandbox } from './cli.ts'
import { fakeSsh, type GitBench, gitBench, writeBelow } from './git.ts'
import { storeMissions } from './missions.ts'

/** A bare server, the user's checkout of it, and missions on it whose Claude does not run. */
export interface LandingBox extends Sandbox {
  git: GitBench['git']
  commit: GitBench['commit']
  /** The id of the repo in the library. */
  repo: string
  library: string
  mission(change?: MissionChange): Promise<LandingMission>
}

export interface LandingMission {
  id: MissionId
  short: string
  branch: string
  directory: string
  /** Runs git in its directory. */
  git(...args: string[]): string
  write(files: Record<string, string>): void
  /** Commits as its Claude would. Returns the commit. */
  work(files: Record<string, string>, message?: string): string
  record(): Promise<MissionRecord>
  /** Runs `agenc mission <verb> <this mission> …`. */
  agenc(verb: string, ...args: string[]): Ran
  isThere(): boolean
}

export interface LandingSetup {
  files?: Record<string, string>
  /** The address that the repo is added by: the user's checkout, or the server. */
  from?: 'checkout' | 'server'
  trust?: boolean
}

export const server = 'hub/app.git'
export const checkout = 'src/app'

export function landingBox({
  files = { 'README.md': 'hello\n', 'lib.txt': 'one\ntwo\nthree\n' },
  from: place = 'server',
  trust = false,
}: LandingSetup = {}): LandingBox {
  const box = sandbox()
  Object.assign(box.env, fakeSsh(box.root))
  const bench = gitBench(box.root, box.env)
  const url = `ssh://host${join(box.root, server)}`
  bench.repo('seed', files)
  bench.git('.', 'clone', '--quiet', '--bare', 'seed', server)
  bench.git('.', 'clone', '--quiet', url, checkout)
  const address = place === 'server' ? url : join(box.root, checkout)
  const added = box.agenc(['repo', 'add', address, trust ? '--trust' : '--no-trust'])
  if (added.exitCode !== 0) throw new Error(added.stderr)
  const repo = added.stdout.trim()
  const paths = pathsAt(box.agencHome)
  const library = libraryPath(paths.repos, repo)
  const git: GitBench['git'] = (directory, ...args) =>
    bench.git(relative(box.root, resolve(box.root, directory)), ...args)
  return {
    ...box,
    git,
    commit: bench.commit,
    repo,
    library,
    async mission(change = {}) {
      const branch = change.branch ?? 'agenc/work'
      const from = change.repo ?? repo
      const source = libraryPath(paths.repos, from)
      const hasCommits = git(source, 'rev-list', '--all', '--max-count=1') !== ''
      const base = hasCommits
        ? {
            base_ref: 'main',
            base_commit: git(source, 'rev-parse', 'HEAD'),
            base_at: new Date().toISOString(),
          }
        : {}
      const [id] = await storeMissions(box, [{ repo, branch, ...base, ...change }])
      const directory = paths.mission(id!).agent
      rmSync(directory, { recursive: true })
      const remotes = remotesOf(bench.tools, { id: from, url: urlOf(box, from), library: source })
      await createWorkingCopy({ ...bench.tools, source, destination: directory, ...remotes })
      git(directory, 'switch', '--quiet', '--create', branch)
      const mission: LandingMission = {
        id: id!,
        short: shortId(id!),
        branch,
        directory,
        git: (...args) => git(directory, ...args),
        write(written) {
          for (const [name, text] of Object.entries(written)) writeBelow(directory, name, text)
        },
        work(written, message = 'work') {
          mission.write(written)
          mission.git('add', '--all')
          mission.git('commit', '--quiet', '--allow-empty', '--message', message)
          return mission.git('rev-parse', 'HEAD')
        },
        async record() {
          const db = await openStore(paths.database)
          try {
            return getMission(db, id!)!
          } finally {
            db.close()
          }
        },
        agenc: (verb, ...args) => box.agenc(['mission', verb, id!, ...args]),
        isThere: () => existsSync(directory),
      }
      return mission
    },
  }
}

function urlOf(box: Sandbox, repo: string): string {
  const repos = box.agencJson<{ id: string; url: string }[]>(['repo', 'ls'])
  return repos.find(({ id }) => id === repo)!.url
}

/** A context in this process, whose messages are kept. */
export function contextOf(box: Sandbox) {
  const lines: string[] = []
  const err = { isTerminal: false, line: (text: string) => void lines.push(text) } as unknown as Output
  const context = withChanges(systemContext(), { env: box.env, paths: pathsAt(box.agencHome), err })
  return { context, lines }
}
