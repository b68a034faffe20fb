import { defineCommand, jsonOption, type OptionSpec } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { listRepos } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { deleteGarbage, findGarbage, type Garbage } from '../../git-work/garbage.ts'
import { formatBytes, parseBytes } from '../../io/disk-size.ts'
import type { Output } from '../../io/output.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { ago, parseSince } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { shortId } from '../../mission-id.ts'
import { resolveRepoOrPath } from '../../repo/choose-repo.ts'
import { displayRepo } from '../../repo/reference.ts'
import { interruptible } from '../../system/signals.ts'

interface Input {
  repos: string[]
  olderThan?: string
  largerThan?: string
  dryRun?: boolean
  force?: boolean
  yes?: boolean
  json?: boolean
}

const dryRun: OptionSpec = { flags: '-n, --dry-run', description: 'only list what would be deleted' }

export default defineCommand<Input>({
  description:
    'Delete old checkpoints from the library, and what it keeps of missions that were deleted long ago. Missions that run are left alone, and so is work that exists only in the library.',
  arguments: [{ name: 'repos', description: 'repos in the library (default: all)', variadic: true }],
  options: [
    { flags: '--older-than <age>', description: 'such as 12h or 90d, or a date (default: 30d)' },
    { flags: '--larger-than <size>', description: 'only missions whose part takes more, such as 100M' },
    dryRun,
    { flags: '-y, --yes', description: 'do not ask for confirmation', destructive: true },
    {
      flags: '-f, --force',
      description: 'delete work of deleted missions that exists only there, too',
      destructive: true,
    },
    jsonOption,
  ],
  examples: ['agenc repo gc --dry-run', 'agenc repo gc owner/name --older-than 7d --yes'],
  async run(context, { repos: words, olderThan = '30d', largerThan = '0', force, yes, json, ...input }) {
    const before = parseSince(olderThan, context.now())
    const moreThanBytes = parseBytes(largerThan)
    await withStore(context, async db => {
      const known = listRepos(db).map(({ id }) => id)
      const repos = words.length === 0 ? known : []
      for (const word of words) repos.push(await resolveRepoOrPath(context, word, known))
      const found = await findGarbage(context, db, [...new Set(repos)], { before, moreThanBytes })
      const garbage = found.filter(({ only_here }) => force || only_here.length === 0)
      const kept = found.filter(one => !garbage.includes(one))
      const deletes = !input.dryRun && garbage.length > 0
      if (!json) tell(context, deletes ? context.err : context.out, garbage, kept)
      if (deletes) await confirmOrFlag(context, `Delete ${size(garbage)}, for good?`, yes)
      const freed_bytes = deletes
        ? await interruptible(signal =>
            deleteGarbage(context, db, garbage, { signal, showsProgress: context.err.isTerminal }),
          )
        : 0
      if (json)
        context.out.line(
          JSON.stringify({ garbage: garbage.map(published), kept: kept.map(published), freed_bytes }),
        )
      else if (deletes) context.err.line(`Freed ${formatBytes(freed_bytes)}.`)
    })
    return 0
  },
})

function published({ repo, mission_id, name, mission, checkpoints, whole, bytes, at, only_here }: Garbage) {
  return { repo, mission_id, name, mission, checkpoints, whole, bytes, at, only_here }
}

function size(garbage: readonly Garbage[]): string {
  return formatBytes(garbage.reduce((sum, { bytes }) => sum + bytes, 0))
}

function tell(context: Context, to: Output, garbage: readonly Garbage[], kept: readonly Garbage[]): void {
  if (garbage.length === 0) context.err.line('There is nothing to delete.')
  else print(to, garbage, context.now())
  if (kept.length === 0) return
  context.err.line('Kept, because this work exists only in the library; --force deletes it:')
  for (const { mission_id, name, repo, only_here } of kept)
    context.err.line(
      `  ${shortId(mission_id)}  ${cleanText(name ?? displayRepo(repo))}: ${only_here.join(', ')}`,
    )
}

const what = { removed: 'deleted', done: 'done', living: 'checkpoints', unknown: 'unknown' }

function print(to: Output, garbage: readonly Garbage[], now: Date): void {
  printTable(to, [
    { title: 'REPO', cells: garbage.map(({ repo }) => displayRepo(repo)), shrinks: true },
    { title: 'MISSION', cells: garbage.map(({ mission_id }) => shortId(mission_id)) },
    { title: 'NAME', cells: garbage.map(({ name }) => cleanText(name ?? '')), shrinks: true },
    {
      title: 'WHAT',
      cells: garbage.map(({ whole, mission }) => (whole ? `all of it (${what[mission]})` : 'checkpoints')),
    },
    { title: 'CHECKPOINTS', cells: garbage.map(({ checkpoints }) => String(checkpoints)) },
    { title: 'AGE', cells: garbage.map(({ at }) => ago(at, now)) },
    { title: 'SIZE', cells: garbage.map(({ bytes }) => formatBytes(bytes)) },
  ])
}
