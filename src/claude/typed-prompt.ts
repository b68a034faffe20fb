import { isAtLeast } from '../system/program-version.ts'

/** Keys of Claude's prompt box, as tmux names them. */
export const promptKeys = {
  /** Puts the user's draft aside. It comes back after the next submission. */
  stash: ['C-s'],
  /** Submits the text. In a dialog it does nothing, where a plain Enter would choose an answer. */
  submit: ['C-x', 'Enter'],
  /** The only way to submit in versions without the keys above. */
  plainSubmit: ['Enter'],
  interrupt: ['Escape'],
} as const

const submitKeysSince = '2.1.247'

export function knowsSubmitKeys(version: string | null): boolean {
  return version !== null && isAtLeast(version, submitKeysSince)
}

const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

/** A text as Claude reports it after a paste, which changes some characters. For comparison only. */
export function asReported(text: string): string {
  return text
    .replaceAll('\t', '    ')
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(controls, '')
    .replace(invisible, '')
    .normalize('NFC')
    .trim()
}

/** Characters that are not seen. Claude drops some of them, and more in other versions. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Format}]/gu

function seenWords(text: string): string {
  return asReported(text).replace(unseen, '').trim()
}

/** Makes line ends of other systems ordinary ones, of which Claude would make two. */
export function readyToSend(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

const quitWords = new Set(['exit', 'quit', ':q', ':q!', ':wq', ':wq!'])
const mostBytes = 200_000
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const reordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Whether Claude would run the text as a command, such as `/compact now`. A path is not a command. */
export function isSlashCommand(text: string): boolean {
  return /^\/[\w:.-]+(\s|$)/.test(text.trim())
}

type Refusal = [problem: string, advice: string]

/** What is wrong with a message of another agent, and what to do about it. Its words are never a command. */
export function whyNoMessage(text: string, isCommand: boolean): Refusal | null {
  if (isCommand) return ['another agent cannot give a /command', 'Add --as user, or leave out --command.']
  return whyNoText(text)
}

/** What is wrong with a text that is to be typed, and what to do about it. Null if it can be sent. */
export function whyNotSendable(text: string, isCommand: boolean): Refusal | null {
  const words = seenWords(text)
  const refusal = whyNoText(text)
  if (refusal !== null) return refusal
  if (quitWords.has(words.toLowerCase()))
    return [`${JSON.stringify(words)} would end Claude`, "Stop the mission with 'agenc mission stop'."]
  if (words.startsWith('!'))
    return [
      'the message begins with !, so Claude would run it as a shell command, without asking',
      'Begin it with another character.',
    ]
  if (isCommand && !isSlashCommand(words)) return ['the message is no /command', 'Leave out --command.']
  if (!isCommand && isSlashCommand(words))
    return [
      'the message begins with /, so Claude would run it as a command',
      'Add --command if you want that.',
    ]
  return null
}

function whyNoText(text: string): Refusal | null {
  if (seenWords(text) === '')
    return ['the message is empty', 'Give a text, or - to read it from standard input.']
  if (Buffer.byteLength(text) > mostBytes)
    return [`the message is longer than ${mostBytes / 1000} KB`, 'Write it to a file, and send its path.']
  if (unsafe.test(text))
    return ['the message has control characters, which Claude would drop', 'Remove them.']
  if (reordering.test(text))
    return ['the message has characters that change the direction of text', 'Remove them.']
  return null
}
