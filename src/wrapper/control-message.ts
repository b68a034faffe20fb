import { isObject } from '../claude/hook-event.ts'

/** A word from another agenc command to a running wrapper. */
export type Word =
  | { agenc: 'restart' }
  | {
      agenc: 'answer'
      request: number
      allow: boolean
      mode?: string
      message?: string
      /** Rung when it is done: the store says what came of it. */
      bell: string
    }

/** null: neither a command that is known nor anything else. */
export function parseWord(text: string): Word | null {
  const data: unknown = JSON.parse(text)
  if (!isObject(data)) return null
  if (data.agenc === 'restart') return { agenc: 'restart' }
  const { agenc, request, allow, mode, message, bell } = data
  if (agenc !== 'answer' || typeof request !== 'number' || typeof allow !== 'boolean') return null
  if (typeof bell !== 'string') return null
  return { agenc, request, allow, mode: optionalText(mode), message: optionalText(message), bell }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
