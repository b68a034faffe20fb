export type ToolInput = Record<string, unknown>

/** One action of the scripted model. */
export type Act =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string; input: ToolInput }
  /** Writes Claude's plan file, wherever it is. */
  | { kind: 'plan'; text: string }
  | { kind: 'error'; status: number; message: string }
  /** The user's subscription allows no more until then, in seconds of the epoch. */
  | { kind: 'limit'; resetsAt: number }
  | { kind: 'hang' }

/** The model's answer to one request. */
export interface Turn {
  delayMs: number
  streamMs: number
  acts: Act[]
}

const directive = /(\+\s*)?\[\[(\w+)\s*([\s\S]*?)\]\]/g

/** Reads the directives in a prompt. stand-in/README.md describes the language. */
export function parseScript(prompt: string): Turn[] {
  const turns: Turn[] = []
  let pace = { delayMs: 0, streamMs: 0 }
  for (const [, joined, verb = '', rest = ''] of prompt.matchAll(directive)) {
    if (verb === 'delay') pace.delayMs = Number(rest)
    else if (verb === 'stream') pace.streamMs = Number(rest)
    else {
      const last = joined ? turns.at(-1) : undefined
      if (last) last.acts.push(actOf(verb, rest))
      else turns.push({ ...pace, acts: [actOf(verb, rest)] })
      pace = { delayMs: 0, streamMs: 0 }
    }
  }
  return turns
}

/** The prompt without its directives, as a person would have typed it. */
export function spokenPart(prompt: string): string {
  return prompt.replace(directive, '').trim() || prompt
}

/**
 * The answer to the request with this index, counted from the prompt. stand-in/README.md describes the
 * language.
 */
export function turnOf(prompt: string, index: number): Turn {
  const turns = parseScript(prompt)
  const text = turns.length === 0 ? friendlyReply(prompt) : 'Done.'
  return turns[index] ?? { delayMs: 0, streamMs: 0, acts: [{ kind: 'text', text }] }
}

function actOf(verb: string, rest: string): Act {
  switch (verb) {
    case 'bash':
      return { kind: 'tool', name: 'Bash', input: { command: rest, description: 'Run a scripted command' } }
    case 'write':
      return { kind: 'tool', name: 'Write', input: writeInput(rest) }
    case 'tool':
      return toolAct(rest)
    case 'plan':
      return { kind: 'plan', text: rest }
    case 'error':
      return errorAct(rest)
    case 'limit':
      return { kind: 'limit', resetsAt: resetTime(rest) }
    case 'hang':
      return { kind: 'hang' }
    default:
      return { kind: 'text', text: rest }
  }
}

function writeInput(rest: string): ToolInput {
  const bar = rest.indexOf('|')
  return bar < 0
    ? { file_path: rest.trim(), content: '' }
    : { file_path: rest.slice(0, bar).trim(), content: rest.slice(bar + 1) }
}

function toolAct(rest: string): Act {
  const [, name = '', json = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? []
  try {
    return { kind: 'tool', name, input: json ? JSON.parse(json) : {} }
  } catch {
    return { kind: 'text', text: `The script's input for ${name} is not valid JSON: ${json}` }
  }
}

function errorAct(rest: string): Act {
  const [status = '500', ...words] = rest.split(' ')
  return { kind: 'error', status: Number(status), message: words.join(' ') || 'scripted error' }
}

function resetTime(rest: string): number {
  const seconds = Number(rest)
  return rest.startsWith('+') ? Math.floor(Date.now() / 1000) + seconds : seconds
}

function friendlyReply(prompt: string): string {
  const subject = prompt.replace(/\s+/g, ' ').trim().slice(0, 60)
  return subject ? `Gladly. You said: ${subject}` : 'Hello! What shall we work on?'
}
