import { type AgencError, usageError } from '../errors.ts'
import { cleanText, truncate } from '../io/text.ts'

const shownColumns = 80
const accepted = 'Give owner/name (GitHub), a git URL, or the path of a local repo such as ./name.'

/** The words of the user come back cleaned and cut, and never with a password. */
export function refuse(text: string, reason: string, hint: string = accepted): AgencError {
  return usageError(`cannot take ${JSON.stringify(shown(text))} as a repo: ${reason}`, hint)
}

export function withoutSecrets(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, '$1')
}

function shown(text: string): string {
  return truncate(cleanText(withoutSecrets(text)), shownColumns)
}
