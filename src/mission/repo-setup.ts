import { appendFileSync } from 'node:fs'
import type { RepoConfig } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError } from '../errors.ts'
import type { MissionPaths } from '../paths.ts'
import { fetchSubmodules } from '../repo/submodules.ts'

const shownLines = 20

/** A repo's setup runs only if the user trusts the repo. Warns if it does not run. */
export function maySetUp(context: Context, db: Database, repo: string): boolean {
  const isTrusted = getRepo(db, repo)?.trusted === 1
  if (!isTrusted) context.err.line(setupSkipped(repo))
  return isTrusted
}

export function setupSkipped(repo: string): string {
  return `agenc: setup skipped, because ${repo} is not trusted. Trust it with: agenc repo trust ${repo}`
}

/** Only trusted repos get their submodules, because a repo chooses the addresses that they are fetched from. */
export function submodulesLeftOut(repo: string): string {
  return [
    `agenc: submodules are left out, because ${repo} is not trusted.`,
    `  To get them in new missions: agenc repo trust ${repo}`,
  ].join('\n')
}

/**
 * Fetches the submodules. One that cannot be fetched is reported, and does not keep the mission from starting. Resolves to
 * the missing ones.
 */
export async function fetchMissionSubmodules(
  context: Context,
  { agent, setupLog }: MissionPaths,
  signal: AbortSignal,
): Promise<string[]> {
  const { err } = context
  const missing: string[] = []
  err.line('agenc: fetching the submodules')
  await fetchSubmodules(context, agent, {
    showsProgress: err.isTerminal,
    logPath: setupLog,
    signal,
    onMissing: (path, reason) => {
      missing.push(path)
      err.line(`agenc: submodule ${path} is missing: ${reason}`)
    },
  })
  if (missing.length > 0) err.line('  To try again, in the mission: git submodule update --init --recursive')
  return missing
}

/** Runs the repo's setup command. Its output goes to the mission's setup log, and to the terminal if there is one. */
export async function runSetup(
  context: Context,
  paths: MissionPaths,
  setup: NonNullable<RepoConfig['setup']>,
  variables: NodeJS.ProcessEnv,
) {
  const [program, ...args] = typeof setup === 'string' ? ['sh', '-c', setup] : setup
  appendFileSync(paths.setupLog, `$ ${[program, ...args].join(' ')}\n`, { mode: 0o600 })
  const watched = context.err.isTerminal ? 'inherit' : 'pipe'
  const done = await context.exec.stream(program!, args, {
    cwd: paths.agent,
    env: { ...context.env, ...variables },
    stdout: watched,
    stderr: watched,
    logPath: paths.setupLog,
  })
  if (done.exitCode === 0) return
  const ending = done.signal ? `was ended by ${done.signal}` : `failed (exit ${done.exitCode ?? 'unknown'})`
  const output = watched === 'pipe' ? lastLines(`${done.stdout}${done.stderr}`) : []
  throw new AgencError(`Setup command ${ending}`, [...output, `Full output: ${paths.setupLog}`].join('\n'))
}

function lastLines(text: string): string[] {
  return text.trimEnd().split('\n').slice(-shownLines)
}
