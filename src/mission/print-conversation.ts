import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { Conversation } from '../claude/conversation.ts'
import type { ConversationEntry } from '../claude/conversation-entry.ts'
import { findTranscript } from '../claude/transcript.ts'
import type { Context } from '../context.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { interruptible } from '../system/signals.ts'
import { ConversationText } from './conversation-text.ts'
import { untilChange } from './followers.ts'
import { keptMessage } from './last-message.ts'
import { missionDirectory } from './mission-directory.ts'
import { statusNow } from './mission-status.ts'
import { missionTitle } from './tell-done.ts'
import {
  ConversationPrinter,
  EntryWriter,
  noteOf,
  RawPrinter,
  type TranscriptPrinter,
} from './transcript-printer.ts'
import { WrapperLives } from './wrapper-lives.ts'

export interface PrintWish {
  form: 'text' | 'json' | 'raw'
  /** The number of entries, or lines, before the end. Null for all. */
  tail: number | null
}

/** Prints the mission's conversation. */
export async function printConversation(
  context: Context,
  mission: MissionRecord,
  wish: PrintWish,
): Promise<void> {
  const path = transcriptNow(context, mission)
  const pages = new Pages(context, mission, wish)
  try {
    if (path !== null) await pages.print(path)
    if (pages.isEmpty) tellNothing(context, mission)
  } finally {
    pages.close()
  }
}

/**
 * Prints the conversation and goes on as it grows, until the mission ends or the reader of the output is gone. Sleeps
 * while neither the transcript nor a mission changes.
 */
export async function followConversation(
  context: Context,
  followed: MissionRecord,
  wish: PrintWish,
): Promise<void> {
  const watcher = new PathWatcher()
  let lives: WrapperLives | undefined
  const look = async (pages: Pages, db: Database | null, wake: () => void) => {
    const mission = db ? getMission(db, followed.id, { removed: true }) : undefined
    if (mission === undefined) return true
    lives ??= new WrapperLives(context, wake)
    // Asked before reading: what was written until the end is then printed too.
    const isRunning = lives.statusesOf([mission])[0] === 'running'
    // With a mission that is deleted, its transcript may go too.
    const path = pages.isEmpty ? transcriptNow(context, mission) : knownTranscript(context, mission)
    watcher.watch(path ?? nearestPlace(context, mission), wake)
    if (path !== null) await pages.print(path)
    if (isRunning && context.out.hasReader()) return undefined
    if (pages.isEmpty) tellNothing(context, mission)
    return true
  }
  await interruptible(async signal => {
    const pages = new Pages(context, followed, wish, signal)
    try {
      await untilChange(context, (db, wake) => look(pages, db, wake), { signal })
    } finally {
      pages.close()
      watcher.close()
      lives?.close()
    }
  })
}

/** Watches one path at a time. The system watches the file, so another one at the same path is watched anew. */
class PathWatcher {
  #watcher: FSWatcher | null = null
  #watched: string | null = null

  watch(path: string, onChange: () => void): void {
    const watched = `${path} ${statSync(path, { throwIfNoEntry: false })?.ino}`
    if (watched === this.#watched) return
    this.close()
    this.#watched = watched
    try {
      this.#watcher = watch(path, onChange).on('error', () => {})
    } catch {
      // The system's watches may be used up. The mission changes with every tool and turn, and that wakes us too.
      this.#watcher = null
    }
  }

  close(): void {
    this.#watcher?.close()
  }
}

/** Prints the transcripts of one mission: another one follows when its user starts a new conversation. */
class Pages {
  readonly #context: Context
  readonly #wish: PrintWish
  readonly #writer: EntryWriter
  #printer: TranscriptPrinter | null = null
  #path: string | null = null

  constructor(context: Context, mission: MissionRecord, wish: PrintWish, signal?: AbortSignal) {
    this.#context = context
    this.#wish = wish
    const directory = missionDirectory(context.paths, mission)
    const text = wish.form === 'text' ? new ConversationText(context.out, directory) : null
    this.#writer = new EntryWriter({ out: context.out, text, signal })
  }

  get isEmpty(): boolean {
    return (
      this.#path === null || (this.#wish.form !== 'raw' && this.#wish.tail !== 0 && this.#writer.count === 0)
    )
  }

  async print(path: string): Promise<void> {
    if (path !== this.#path || this.#printer!.isReplaced()) await this.#open(path)
    await this.#printer!.printNew()
  }

  async #open(path: string): Promise<void> {
    const { out, now } = this.#context
    const isFirst = this.#path === null
    const isSamePath = path === this.#path
    const tail = isFirst ? this.#wish.tail : null
    if (!isSamePath) await this.#printer?.printNew()
    this.close()
    this.#path = path
    if (this.#wish.form === 'raw') this.#printer = new RawPrinter(path, out, tail)
    else {
      const printer = new ConversationPrinter(path, this.#writer, now, tail)
      this.#printer = printer
      const goesOn = isSamePath && printer.goOnAfter(this.#writer.lastUuid)
      if (!isFirst && !goesOn) await this.#writer.add(noteOf('conversation', 'system', now()))
    }
  }

  close(): void {
    this.#printer?.close()
    this.#printer = null
  }
}

/** What Claude said last, exactly. Null if it has said nothing yet. */
export function lastMessageNow(context: Context, mission: MissionRecord): ConversationEntry | null {
  const path = transcriptNow(context, mission)
  const last = path === null ? { entry: null, at: null } : lastIn(path)
  if (last.at === null) return null
  const kept = keptMessage(context.paths.mission(mission.id))
  // Claude writes its last words to the transcript a moment after it has ended its turn.
  if (kept === null || kept.at.getTime() < Date.parse(last.at) || kept.text === last.entry?.text)
    return last.entry
  const at = kept.at.toISOString()
  return { uuid: null, at, by: 'claude', kind: 'message', text: kept.text, tool: null, input: null }
}

/** Claude's last message, and the time of the last entry of any kind. */
function lastIn(path: string): { entry: ConversationEntry | null; at: string | null } {
  const conversation = new Conversation(path)
  try {
    let at: string | null = null
    for (const line of conversation.lines().reverse()) {
      const entries = conversation.entries(line)
      at ??= entries.at(-1)?.at ?? null
      const entry = entries.findLast(({ by, kind }) => by === 'claude' && kind === 'message')
      if (entry !== undefined) return { entry, at }
    }
    return { entry: null, at }
  } finally {
    conversation.close()
  }
}

/**
 * Null if there is no conversation yet: Claude creates the transcript a moment after it has taken the first prompt. Throws
 * if there was one, and its transcript is gone.
 */
function transcriptNow(context: Context, mission: MissionRecord): string | null {
  const { directory } = claudeLocations(context.env)
  const path = knownTranscript(context, mission)
  const mayCome = () => mission.session_begun === 0 || statusNow(context, mission) === 'running'
  if (path !== null || mayCome()) return path
  throw new AgencError(
    `the conversation of ${missionTitle(mission)} is gone: no ${mission.session_id}.jsonl below ${directory}`,
    'Restore the file, or set CLAUDE_CONFIG_DIR to the directory that was used then.',
  )
}

function knownTranscript({ env }: Context, { session_id, transcript_path }: MissionRecord): string | null {
  return findTranscript(claudeLocations(env).directory, session_id, transcript_path)
}

/** Where a transcript that does not exist yet will show first. */
function nearestPlace({ env }: Context, { transcript_path }: MissionRecord): string {
  let place = transcript_path ?? join(claudeLocations(env).directory, 'projects', 'any')
  while (!existsSync(place)) place = dirname(place)
  return place
}

export function tellNothing({ err }: Context, mission: MissionRecord): void {
  err.line(`${missionTitle(mission)} has no conversation yet.`)
}
