import { closeSync, constants, openSync, readFileSync } from 'node:fs'
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

/** What Claude said last. Only the beginning if the whole text could not be kept, null if it has said nothing yet. */
export function lastMessageOf(
  paths: Paths,
  mission: Pick<MissionJson, 'id' | 'last_message'>,
): string | null {
  try {
    const file = openSync(
      paths.mission(mission.id).lastMessage,
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    )
    try {
      return readFileSync(file, 'utf8')
    } finally {
      closeSync(file)
    }
  } catch {
    return mission.last_message
  }
}
