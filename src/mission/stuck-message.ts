import type { Message } from '../db/messages.ts'

/** Claude cannot get a message of its user as long as it runs there. */
export const outsideSession =
  'it runs in a terminal outside the agenc session, where agenc cannot type; use --as agent, or type it there'

/** Whether the mission takes other messages and turns without ever getting to this message, until it is started elsewhere. */
export function isStuck({ status, reason }: Message): boolean {
  return status === 'kept' && (reason?.endsWith(outsideSession) ?? false)
}
