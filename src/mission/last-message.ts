import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { removeFile, writeFileAtomically } from '../io/files.ts'
import type { MissionPaths, Paths } from '../paths.ts'
import type { MissionJson } from './mission-json.ts'

/** Keeps what Claude said last, whole and unmasked: it is the user's own file. Lists have a masked beginning of it. */
export function keepLastMessage({ lastMessage }: Pick<MissionPaths, 'lastMessage'>, text: string): void {
  try {
    // Claude's tools could put a link here.
    writeFileAtomically(lastMessage, text, { followLinks: false })
  } catch (error) {
    // An older message must not pass for this one.
    removeFile(lastMessage)
    throw error
  }
}

/** The whole of what Claude said last, with the time at which it was kept. Null if it was not. */
export function keptMessage({
  lastMessage,
}: Pick<MissionPaths, 'lastMessage'>): { text: string; at: Date } | null {
  try {
    const file = openSync(lastMessage, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      return { text: readFileSync(file, 'utf8'), at: fstatSync(file).mtime }
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** What Claude said last. Only the beginning if the whole text could not be kept, null if it has said nothing yet. */
export function lastMessageOf(
  paths: Paths,
  mission: Pick<MissionJson, 'id' | 'last_message'>,
): string | null {
  return keptMessage(paths.mission(mission.id))?.text ?? mission.last_message
}
