import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { findTranscript, holdsConversation, newestTranscript } from '../claude/transcript.ts'
import type { Context } from '../context.ts'
import { copiesOf, lossOf, missingPart, missionDirectories } from '../db/lost-store.ts'
import {
  getMission,
  insertMission,
  type MissionChange,
  type NewMission,
  updateMission,
} from '../db/missions.ts'
import { moveAside } from '../db/move-aside.ts'
import { type Database, openOrCreate } from '../db/open-store.ts'
import { getRepo, insertRepo } from '../db/repos.ts'
import { withStore } from '../db/with-store.ts'
import { keptWork } from '../git-work/kept-work.ts'
import { keptRefs } from '../git-work/mission-repo.ts'
import { draftOf } from '../io/files.ts'
import { withLock } from '../io/lock.ts'
import { readRecordFile } from '../mission/record-file.ts'
import { endedColumns, readNote } from '../mission/wrapper-note.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { fetchUrlOf, libraryPath, listLibrary } from '../repo/library.ts'
import { currentUrl } from '../repo/repo-source.ts'
import { systemProbe } from '../system/process-identity.ts'
import { wakeUp } from '../system/wakeup-fifo.ts'

const patienceMs = 5_000
const pauseMs = 50

/**
 * Makes a new store from the newest usable copy and from the missions' own files. The lost store's files are kept. `lost`
 * is the inode of the file that was found to be lost: another doctor may have replaced it since then.
 */
export async function rebuildStore(context: Context, lost: number | undefined): Promise<string> {
  const { database } = context.paths
  if (inodeOf(database) !== lost) return alreadyReplaced
  const isDeleted = !existsSync(database) || missingPart(database) !== null
  if (isDeleted && (await isPutBack(context))) return 'a running mission has put the store back'
  const rebuilt = draftOf(database)
  const db = await openBase(database, rebuilt)
  try {
    addRepos(context, db)
    for (const id of missionDirectories(database)) addMission(context, db, id)
    for (const kept of keptUnknown(context, db)) insertKept(context, db, kept)
  } finally {
    db.close()
  }
  return withLock(database, () => {
    if (inodeOf(database) !== lost) {
      remove(rebuilt)
      return alreadyReplaced
    }
    const aside = moveAside(database, context.now())
    renameSync(rebuilt, database)
    return `rebuilt the store from the missions' own files; what was left of it is in ${aside}`
  })
}

const alreadyReplaced = 'another process has replaced the store'

export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** A running mission still has the whole store open, and puts it back if it was deleted. */
async function isPutBack({ paths, exec }: Context): Promise<boolean> {
  const missions = missionDirectories(paths.database).map(id => paths.mission(id))
  const running = missions.filter(({ wrapperNote }) => {
    const note = readNote(wrapperNote)
    return note && !note.ended && systemProbe(exec).liveness([note.wrapper])[0] === 'alive'
  })
  for (const { wakeup } of running) wakeUp(wakeup)
  for (const deadline = Date.now() + patienceMs; running.length > 0 && Date.now() < deadline; ) {
    if ((await lossOf(paths.database)) === null) return true
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  return false
}

/** Starts from the first of these files that is intact: the store itself, without its log, or a copy. */
async function openBase(database: string, rebuilt: string): Promise<Database> {
  for (const base of [database, ...copiesOf(database)]) {
    remove(rebuilt)
    try {
      copyFileSync(base, rebuilt)
      if (statSync(rebuilt).size === 0) continue
      const db = await openOrCreate(rebuilt)
      if (db.pragma('quick_check(1)', { simple: true }) === 'ok') return db
      db.close()
    } catch {
      // Not a whole store: try the next one.
    }
  }
  remove(rebuilt)
  return openOrCreate(rebuilt)
}

function remove(store: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${store}${suffix}`, { force: true })
}

/** Nobody can say which repos the user trusted, so none of the added ones is. */
function addRepos(context: Context, db: Database): void {
  const at = context.now().toISOString()
  for (const id of listLibrary(context.paths.repos)) {
    if (getRepo(db, id)) continue
    const url = currentUrl(context, fetchUrlOf(context, libraryPath(context.paths.repos, id)))
    insertRepo(db, { id, url, trusted: null, added_at: at, updated_at: at })
  }
}

/** Stores a mission as its files show it. A mission that the store knows only gets the columns of its own copy. */
export function addMission(context: Context, db: Database, id: MissionId): void {
  const { record, wrapperNote } = context.paths.mission(id)
  const kept = readRecordFile(record)
  db.transaction(() => {
    if (!getMission(db, id, { removed: true })) insertMission(db, missionFromFiles(context, db, id))
    const note = readNote(wrapperNote)
    const run: MissionChange = note
      ? note.ended
        ? endedColumns(note.ended, note.ended.at)
        : { wrapper_pid: note.wrapper.pid, wrapper_start: note.wrapper.start, ended_by: null }
      : {}
    updateMission(db, id, { ...kept, ...run } as MissionChange)
  }).immediate()
}

export interface KeptMission {
  id: MissionId
  repo: string
}

/** Missions without a record whose work is in the library. */
export function keptUnknown(context: Context, db: Database): KeptMission[] {
  const isUnknown = (id: MissionId) =>
    !getMission(db, id, { removed: true }) && !existsSync(context.paths.mission(id).root)
  return listLibrary(context.paths.repos).flatMap(repo => {
    const work = keptWork(context, libraryPath(context.paths.repos, repo))
    return [...work.keys()].filter(isUnknown).map(id => ({ id, repo }))
  })
}

/** Stores a mission as one that was deleted, so that `resume` can bring it back. */
export function addKeptMission(context: Context, kept: KeptMission): Promise<string> {
  return withStore(context, db => {
    insertKept(context, db, kept)
    return `added mission ${shortId(kept.id)} to the store, as a deleted one`
  })
}

function insertKept(context: Context, db: Database, { id, repo }: KeptMission): void {
  const refs = keptWork(context, libraryPath(context.paths.repos, repo)).get(id) ?? []
  const { heads, head } = keptRefs(id)
  const commit = refs.find(({ name }) => name === head)?.commit
  const branch = refs.find(ref => ref.name.startsWith(heads) && ref.commit === commit)?.name
  const at = refs.map(ref => ref.at).sort()[0] ?? context.now().toISOString()
  db.transaction(() => {
    if (getMission(db, id, { removed: true })) return
    insertMission(db, { ...blankMission(context, id), repo, created_at: at })
    const removed_at = context.now().toISOString()
    updateMission(db, id, { removed_at, branch: branch?.slice(heads.length) ?? null })
  }).immediate()
}

function missionFromFiles(context: Context, db: Database, id: MissionId): NewMission {
  const { root, agent } = context.paths.mission(id)
  const made = statSync(root)
  const created_at = new Date(made.birthtimeMs || made.mtimeMs).toISOString()
  return { ...blankMission(context, id), repo: repoOf(context, db, agent), created_at }
}

/** Only the conversation can be found by the id. */
function blankMission(context: Context, id: MissionId): Omit<NewMission, 'created_at'> {
  const { directory } = claudeLocations(context.env)
  const transcript =
    findTranscript(directory, id, null) ?? newestTranscript(directory, context.paths.mission(id).agent)
  return {
    id,
    name: null,
    about: null,
    repo: null,
    parent_id: null,
    permission_mode: null,
    approve: null,
    model: null,
    session_id:
      transcript && holdsConversation(transcript) ? basename(transcript).replace(/\.jsonl$/, '') : id,
    forked_session_id: null,
    setup_pending: 0,
    may_answer: 0,
  }
}

function repoOf(context: Context, db: Database, agent: string): string | null {
  const url = fetchUrlOf(context, join(agent, '.git'))
  if (url === '') return null
  return db.prepare<[string], string>('SELECT id FROM repos WHERE url = ?').pluck().get(url) ?? null
}
