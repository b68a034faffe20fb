import { maskSecrets } from '../approvals/mask-secrets.ts'
import { lastMessageIn } from '../claude/transcript.ts'
import type { MissionRecord } from '../db/missions.ts'
import { cleanLines, cleanText, truncate } from '../io/text.ts'
import { displayName } from '../mission/naming.ts'

export interface PullRequestText {
  title: string
  body: string
}

const titleColumns = 200
/** GitHub takes 65,536. */
const mostCharacters = 60_000

/** What a pull request says, from what the mission is about and what its Claude said last. Without secrets. */
export function textOf(mission: MissionRecord): PullRequestText {
  const { name, about, transcript_path } = mission
  const title = truncate(maskSecrets(cleanText(name ?? about ?? displayName(mission))), titleColumns)
  const message = transcript_path === null ? null : lastMessageIn(transcript_path)
  const parts = [name === null ? null : about, message]
    .flatMap(part => (part === null ? [] : [cleanLines(maskSecrets(part)).trim()]))
    .filter(part => part !== '')
  return { title, body: parts.join('\n\n').slice(0, mostCharacters) }
}

/** As a file to edit: the title is the first line. */
export function asFile({ title, body }: PullRequestText): string {
  return `${title}\n\n${body}${body === '' ? '' : '\n'}`
}

/** Reads an edited file. Returns null if it is empty. */
export function fromFile(file: string): PullRequestText | null {
  const [title = '', ...rest] = file.trim().split(/\r?\n/)
  return title.trim() === '' ? null : { title: title.trim(), body: rest.join('\n').trim() }
}
