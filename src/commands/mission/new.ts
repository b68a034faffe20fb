import { findClaude } from '../../claude/find-claude.ts'
import { refuseBypassAsRoot } from '../../claude/root-bypass.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { preparedConfig } from '../../config/read.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import type { Database } from '../../db/open-store.ts'
import { getRepo, listRepos } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { readAll } from '../../io/blocking-io.ts'
import { parseApprove } from '../../mission/approve-mode.ts'
import { createMission } from '../../mission/create.ts'
import type { Source } from '../../mission/directory.ts'
import { rosterOf } from '../../mission/list.ts'
import { missionName } from '../../mission/naming.ts'
import type { MissionId } from '../../mission-id.ts'
import { inFirstWindow } from '../../wrapper/first-window.ts'
import { type Destination, destinationFor, launchMission } from '../../wrapper/launch.ts'
import { checkMode } from './mode.ts'

interface Input {
  repo?: string
  blank?: boolean
  clone?: string
  prompt?: string
  name?: string
  permissionMode?: string
  approve?: string
  model?: string
  focus: boolean
  here?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Start a mission: a copy of a repo, with a Claude of its own. Prints the mission id.',
  arguments: [{ name: 'repo', description: 'a repo of the library; left out: a picker' }],
  options: [
    { flags: '--blank', description: 'an empty directory instead of a repo' },
    { flags: '--clone <mission>', description: "a copy of another mission's directory" },
    { flags: '--prompt <text>', description: "what to tell Claude first; '-' reads it from stdin" },
    { flags: '--name <text>', description: 'what to call the mission' },
    {
      flags: '--permission-mode <mode>',
      description: 'default, acceptEdits, plan, dontAsk, bypassPermissions, auto …',
    },
    { flags: '--approve <who>', description: 'ask, rules or all: who answers permission requests' },
    { flags: '--model <model>', description: 'the model for Claude' },
    { flags: '--no-focus', description: 'inside the agenc session: stay in this window' },
    { flags: '--here', description: 'in this window, which has no other use', hidden: true },
    jsonOption,
  ],
  examples: ['agenc mission new owner/name', 'agenc mission new --blank --prompt "write a haiku"'],
  async run(context, input) {
    refuseContradictions(input)
    if (input.permissionMode !== undefined) await checkMode(context, input.permissionMode)
    const asked = destinationFor(context, { stdinIsPrompt: input.prompt === '-', here: input.here })
    const start = () => startMission(context, input, asked)
    if (!input.here) return start()
    const destination = await asked
    return destination.kind === 'this-window' ? inFirstWindow(context, destination.place, start) : start()
  },
})

async function startMission(context: Context, input: Input, asked: Promise<Destination>): Promise<number> {
  const { claude } = await preparedConfig(context.paths)
  refuseBypassAsRoot(input.permissionMode ?? null, claude.args, context.env)
  const launch = async (mission: MissionRecord) =>
    launchMission(context, await asked, mission, { focus: input.focus })
  const { mission, isApart } = await withStore(context, async db => {
    const isApart = (await asked).kind === 'new-window'
    // A new window has the session's own PATH; everywhere else what is missing is said before anything is made.
    if (!isApart) findClaude(claude.command, context.env)
    const { source, repo, parentId } = await chooseSource(context, db, input)
    const created = await createMission(context, db, {
      source,
      repo,
      parentId,
      name: input.name === undefined ? null : missionName(input.name),
      permissionMode: input.permissionMode ?? null,
      approve: input.approve === undefined ? null : parseApprove(input.approve),
      model: input.model ?? null,
      prompt: readPrompt(input.prompt),
      forkedSessionId: null,
    })
    const printed = input.json ? (await rosterOf(context, db, [created]))[0] : null
    context.out.line(printed ? JSON.stringify(printed) : created.id)
    // A window starts up while the store is closed; a terminal is not left for hours.
    if (isApart) await launch(created)
    return { mission: created, isApart }
  })
  return isApart ? 0 : launch(mission)
}

function refuseContradictions({ repo, blank, clone, approve }: Input): void {
  if ([repo, blank, clone].filter(Boolean).length > 1) {
    throw usageError('a repo, --blank and --clone exclude each other', 'Name one source for the mission.')
  }
  if (approve !== undefined) parseApprove(approve)
}

interface Chosen {
  source: Source
  repo: string | null
  parentId: MissionId | null
}

async function chooseSource(context: Context, db: Database, input: Input): Promise<Chosen> {
  if (input.clone !== undefined) {
    const { chooseMission } = await import('../../mission/choose.ts')
    const original = await chooseMission(context, db, input.clone)
    return { source: { kind: 'mission', id: original.id }, repo: original.repo, parentId: original.id }
  }
  const repo = input.blank ? null : await chooseRepo(context, db, input.repo)
  if (repo === null) return { source: { kind: 'blank' }, repo: null, parentId: null }
  const { url, trusted } = getRepo(db, repo)!
  return { source: { kind: 'repo', id: repo, url, isTrusted: trusted === 1 }, repo, parentId: null }
}

/** null: a blank mission was picked. */
async function chooseRepo(context: Context, db: Database, word: string | undefined): Promise<string | null> {
  if (word !== undefined) {
    const { resolveRepo } = await import('../../repo/resolve-repo.ts')
    const known = listRepos(db).map(({ id }) => id)
    return resolveRepo(word, known)
  }
  if (!isInteractive(context))
    throw usageError('which repo?', "Name one, or pass --blank; 'agenc repo ls' lists them.")
  const { pick } = await import('../../io/picker.ts')
  const { repoChoices } = await import('../../repo/repo-choices.ts')
  const choices = repoChoices(db).map(({ repo, label }) => ({ value: repo, cells: [label] }))
  return pick(context, 'repo', choices)
}

function readPrompt(prompt: string | undefined): string | null {
  if (prompt === undefined) return null
  const text = prompt === '-' ? readAll(0) : prompt
  if (text.trim() === '') throw usageError('the prompt is empty', 'Leave --prompt out to start without one.')
  return text
}
