import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Act, type Turn, turnOf } from '../../stand-in/script.ts'

/**
 * The part of the Messages API that the real Claude Code needs. Each prompt scripts its own answer, in the language
 * that stand-in/README.md describes.
 */
export interface StubApi {
  baseUrl: string
  close(): Promise<void>
}

interface Block {
  type: string
  text?: string
}

interface Message {
  role: string
  content: string | Block[]
}

interface Request {
  model?: string
  stream?: boolean
  messages?: Message[]
  tools?: unknown[]
  output_config?: { format?: { schema?: { properties?: Record<string, unknown> } } }
}

let sequence = 0
const nextId = (prefix: string) => `${prefix}_${String(++sequence).padStart(8, '0')}`

export async function startStubApi(): Promise<StubApi> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const path = request.url?.split('?')[0]
  if (request.method === 'POST' && path === '/v1/messages') {
    await answerMessages(response, JSON.parse(Buffer.concat(chunks).toString()) as Request)
  } else if (path === '/v1/messages/count_tokens') json(response, 200, { input_tokens: 100 })
  else if (path === '/v1/models') json(response, 200, { data: [], has_more: false })
  else json(response, request.method === 'HEAD' || path === '/' ? 200 : 404, {})
}

async function answerMessages(response: ServerResponse, request: Request): Promise<void> {
  const turn =
    (request.tools ?? []).length > 0
      ? withPlanFile(mainTurn(request.messages ?? []), request)
      : sideTurn(request)
  if (turn.delayMs) await sleep(turn.delayMs)
  const failure = turn.acts.find(act => act.kind === 'error')
  const limit = turn.acts.find(act => act.kind === 'limit')
  if (limit) {
    const error = { type: 'rate_limit_error', message: 'This request would exceed your limit.' }
    json(response, 429, { type: 'error', error }, limitHeaders(limit.resetsAt))
  } else if (failure) {
    json(response, failure.status, { type: 'error', error: { type: 'api_error', message: failure.message } })
  } else if (request.stream) await streamTurn(response, request.model ?? '', turn)
  else
    json(response, 200, {
      ...emptyMessage(request.model ?? ''),
      content: blocksOf(turn),
      stop_reason: stopReason(turn),
    })
}

/** The prompt is the last text by a person. The number of model messages since then is the turn's index. */
function mainTurn(messages: Message[]): Turn {
  const at = messages.findLastIndex(message => textByPerson(message) !== '')
  const prompt = at < 0 ? '' : textByPerson(messages[at]!)
  return turnOf(prompt, messages.slice(at + 1).filter(message => message.role === 'assistant').length)
}

function textByPerson(message: Message): string {
  if (message.role !== 'user') return ''
  const texts =
    typeof message.content === 'string'
      ? [message.content]
      : message.content.filter(block => block.type === 'text').map(block => block.text ?? '')
  const cleaned = texts.map(text =>
    text
      .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
      .replace(/\[Request interrupted by user[^\]]*\]/g, '')
      .trim(),
  )
  return cleaned.filter(Boolean).at(-1) ?? ''
}

/** Claude's request contains the path of the plan file. */
function withPlanFile(turn: Turn, request: Request): Turn {
  const [path = 'plan.md'] = /\/[^"\s`]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(request)) ?? []
  const acts = turn.acts.map(act =>
    act.kind === 'plan'
      ? { kind: 'tool' as const, name: 'Write', input: { file_path: path, content: act.text } }
      : act,
  )
  return { ...turn, acts }
}

/** Answers requests without tools, such as those for a session title. */
function sideTurn(request: Request): Turn {
  const keys = Object.keys(request.output_config?.format?.schema?.properties ?? {})
  const text = keys.length
    ? JSON.stringify(Object.fromEntries(keys.map(key => [key, 'scripted'])))
    : 'scripted'
  return { delayMs: 0, streamMs: 0, acts: [{ kind: 'text', text }] }
}

async function streamTurn(response: ServerResponse, model: string, turn: Turn): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': nextId('req') })
  const send = (event: { type: string; [key: string]: unknown }) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  send({ type: 'message_start', message: emptyMessage(model) })
  for (const [index, block] of blocksOf(turn).entries()) {
    send({ type: 'content_block_start', index, content_block: { ...block, ...startOf(block) } })
    for (const delta of deltasOf(block)) {
      send({ type: 'content_block_delta', index, delta })
      if (turn.streamMs) await sleep(turn.streamMs)
      if (response.destroyed) return
    }
    send({ type: 'content_block_stop', index })
  }
  if (turn.acts.some(act => act.kind === 'hang')) return
  send({ type: 'message_delta', delta: { stop_reason: stopReason(turn) }, usage: { output_tokens: 10 } })
  send({ type: 'message_stop' })
  response.end()
}

type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

function blocksOf(turn: Turn): ContentBlock[] {
  return turn.acts.flatMap((act: Act): ContentBlock[] => {
    if (act.kind === 'text') return [{ type: 'text', text: act.text }]
    if (act.kind === 'tool')
      return [{ type: 'tool_use', id: nextId('toolu'), name: act.name, input: act.input }]
    return []
  })
}

const startOf = (block: ContentBlock) => (block.type === 'text' ? { text: '' } : { input: {} })

function deltasOf(block: ContentBlock) {
  if (block.type === 'tool_use')
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  return (block.text.match(/\s*\S+|\s+$/g) ?? ['']).map(text => ({ type: 'text_delta', text }))
}

function stopReason(turn: Turn): string {
  return turn.acts.some(act => act.kind === 'tool') ? 'tool_use' : 'end_turn'
}

function emptyMessage(model: string) {
  const usage = {
    input_tokens: 10,
    output_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  return {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
}

/** The headers that tell a subscriber's Claude which limit was reached. */
function limitHeaders(resetsAt: number): OutgoingHttpHeaders {
  return {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': String(resetsAt),
    'anthropic-ratelimit-unified-5h-utilization': '1',
  }
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': nextId('req'),
    ...headers,
  })
  response.end(JSON.stringify(body))
}
