import { writeFileSync } from 'node:fs'
import { maskSecrets } from '../approvals/mask-secrets.ts'
import { requestInFull } from '../approvals/request-in-full.ts'
import { lastMessageIn } from '../claude/transcript.ts'
import { removeFile } from '../io/files.ts'
import { bounded, cleanLines } from '../io/text.ts'
import type { MissionPaths } from '../paths.ts'
import type { ClaudeState } from './claude-state.ts'
import type { Log } from './log.ts'
import type { Requests } from './permission-requests.ts'

const mostCharacters = 16_000

/** Keeps the text of the switcher's preview in a file, because the switcher does not start Node. */
export class PreviewFile {
  readonly #path: string
  readonly #directory: string
  readonly #claude: () => ClaudeState
  readonly #requests: Pick<Requests, 'openReports'>
  readonly #log: Log
  #written: string | null = null

  constructor(
    { preview }: Pick<MissionPaths, 'preview'>,
    directory: string,
    claude: () => ClaudeState,
    requests: Pick<Requests, 'openReports'>,
    log: Log,
  ) {
    this.#path = preview
    this.#directory = directory
    this.#claude = claude
    this.#requests = requests
    this.#log = log
  }

  /** Call it when a request or the state may have changed. Nothing is written if the text is the same. */
  readonly update = (): void => this.#show(() => bounded(this.#text(), mostCharacters))

  clear(): void {
    this.#show(() => '')
  }

  /** A failure must not keep a request from being answered, nor the mission from ending. */
  #show(makeText: () => string): void {
    try {
      const text = makeText()
      if (text === this.#written) return
      // Removed first, because Claude's tools could put a link here.
      removeFile(this.#path)
      if (text !== '') writeFileSync(this.#path, `${text}\n`, { flag: 'wx', mode: 0o600 })
      this.#written = text
    } catch (error) {
      this.#log(`the switcher's preview could not be written: ${String(error)}`)
    }
  }

  #text(): string {
    const { state, lastMessage, transcriptPath } = this.#claude()
    if (state === 'waiting')
      return this.#requests.openReports
        .map(({ use }) => requestInFull(use.tool, use.input, this.#directory))
        .join('\n\n')
    if (state !== 'idle') return ''
    // An interrupted turn, and the last turn of a resumed conversation, are not reported.
    const message = lastMessage ?? (transcriptPath === null ? null : lastMessageIn(transcriptPath))
    return message === null ? '' : cleanLines(maskSecrets(message).replaceAll('\t', '    ')).trim()
  }
}
