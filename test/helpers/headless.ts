import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MissionRecord } from '../../src/db/missions.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { waitFor } from './wait.ts'
import type { WrapperBox } from './wrapper-box.ts'

/** Starts a blank mission without a terminal, and returns its id. */
export function startHeadless(box: WrapperBox, prompt: string, ...args: string[]): string {
  const { exitCode, stdout, stderr } = box.agenc([
    ...['mission', 'new', '--blank', '--headless', '--permission-mode', 'manual'],
    ...['--prompt', prompt, ...args],
  ])
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

export function shown(box: WrapperBox, id: string): MissionJson {
  return box.agencJson<MissionJson>(['mission', 'show', id])
}

/** Waits until a turn is over and its result is stored. */
export function untilResult(
  box: WrapperBox,
  id: string,
): Promise<MissionRecord & { parsed: NonNullable<MissionJson['result']> }> {
  return waitFor(`a result of ${id}`, () => {
    const record = box.record(id)
    return record.result !== null && { ...record, parsed: JSON.parse(record.result) }
  })
}

/** What the user said in a conversation, and how often. */
export function promptsIn(box: WrapperBox, id: string): string[] {
  const { transcript_path } = box.record(id)
  return readFileSync(transcript_path!, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(({ type, message }) => type === 'user' && typeof message.content === 'string')
    .map(({ message }) => message.content)
}

export function outputOf(box: WrapperBox, id: string): string {
  return readFileSync(join(box.agencHome, 'missions', id, 'output.log'), 'utf8')
}

export function transcriptOf(box: WrapperBox, id: string): string {
  return readFileSync(box.record(id).transcript_path!, 'utf8')
}
