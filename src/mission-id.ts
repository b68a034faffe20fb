import { randomUuid } from './io/random.ts'

/** A mission's UUID, in lower case. */
export type MissionId = string & { readonly brand: 'MissionId' }

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function newMissionId(): MissionId {
  return randomUuid() as MissionId
}

export function isMissionId(text: string): text is MissionId {
  return uuidPattern.test(text)
}

/** The form that people read and type. Not unique, so never use it as an identity. */
export function shortId(id: MissionId): string {
  return id.slice(0, 8)
}
