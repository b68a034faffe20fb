import type { Output } from '../../io/output.ts'
import { truncate } from '../../io/text.ts'

export interface UpdateProgress {
  started(repo: string): void
  ended(repo: string, error: string | null): void
  clear(): void
}

const eraseLine = '\r\u001b[K'

/** A line for each repo as it ends; on a terminal, below them, what is being fetched now. */
export function showProgress(err: Output, total: number): UpdateProgress {
  const fetching = new Set<string>()
  let done = 0
  const erase = () => {
    if (err.isTerminal) err.write(eraseLine)
  }
  const draw = () => {
    if (!err.isTerminal || fetching.size === 0) return
    const status = `${done} of ${total} done, fetching ${[...fetching].join(', ')}`
    err.write(err.paint('dim', truncate(status, err.columns - 1)))
  }
  return {
    started(repo) {
      fetching.add(repo)
      erase()
      draw()
    },
    ended(repo, error) {
      fetching.delete(repo)
      done++
      erase()
      err.line(
        error === null
          ? `${err.paint('green', 'updated')} ${repo}`
          : `${err.paint('red', 'failed')}  ${repo}: ${error}`,
      )
      draw()
    },
    clear: erase,
  }
}
