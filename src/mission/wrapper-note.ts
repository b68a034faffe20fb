import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { leaseHolder, type MissionChange, type MissionRecord } from '../db/missions.ts'
import { isObject } from '../io/json.ts'
import type { Paths } from '../paths.ts'
import { isSameProcess, type ProcessIdentity } from '../system/process-identity.ts'

/** How a run of a mission ended, as it is stored. */
export interface StoredEnding {
  why: 'left' | 'failed' | 'stopped' | 'closed' | 'lost'
  /** Claude's exit code and signal. If Claude was not started at all, the signal that prevented it. */
  code: number | null
  signal: NodeJS.Signals | null
}

/** A file next to each mission that names its latest wrapper and, once that has ended, says how. */
export interface WrapperNote {
  wrapper: ProcessIdentity
  ended: (StoredEnding & { at: string }) | null
}

const noteBytes = 512

/** Makes room for the note. Throws on a full disk: later, the note must fit although the disk is full. */
export function reserveNote(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  try {
    if (fstatSync(file).size < noteBytes) writeSync(file, ' '.repeat(noteBytes), 0)
  } finally {
    closeSync(file)
  }
}

/** Overwrites the note in place, which needs no space. Returns false if that is impossible. */
export function writeNote(path: string, note: WrapperNote): boolean {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
    try {
      return writeSync(file, JSON.stringify(note).padEnd(noteBytes), 0) >= noteBytes
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

export function readNote(path: string): WrapperNote | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const bytes = Buffer.alloc(noteBytes)
      const note: unknown = JSON.parse(bytes.toString('utf8', 0, readSync(file, bytes)))
      return isNote(note) ? note : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

function isNote(note: unknown): note is WrapperNote {
  if (!isObject(note) || !isObject(note.wrapper)) return false
  const { wrapper, ended } = note
  const isEnding = isObject(ended) && typeof ended.why === 'string' && typeof ended.at === 'string'
  return Number.isInteger(wrapper.pid) && typeof wrapper.start === 'string' && (ended === null || isEnding)
}

/** The ending of the run that the store still shows as running, because it could not be written then. */
export function unstoredEnding(paths: Paths, mission: MissionRecord): WrapperNote['ended'] {
  const holder = leaseHolder(mission)
  const note = holder && readNote(paths.mission(mission.id).wrapperNote)
  return note && isSameProcess(note.wrapper, holder) ? note.ended : null
}

/** The mission as the store would show it, had its ending been written. */
export function withEnding(paths: Paths, mission: MissionRecord): MissionRecord {
  const ended = unstoredEnding(paths, mission)
  return ended === null ? mission : { ...mission, ...endedColumns(ended, ended.at) }
}

export function endedColumns({ why, code, signal }: StoredEnding, at: string): MissionChange {
  return {
    wrapper_pid: null,
    wrapper_start: null,
    heartbeat_at: null,
    state: null,
    waiting_for: null,
    waiting_since: null,
    background: 0,
    exit_code: code,
    exit_signal: signal,
    exit_at: at,
    ended_by: why === 'lost' || why === 'failed' ? why : 'user',
    last_active_at: at,
  }
}
