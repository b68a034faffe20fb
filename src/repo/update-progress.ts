import type { Output } from '../io/output.ts'
import { StatusLine } from '../io/status-line.ts'

export interface UpdateProgress {
  started(repo: string): void
  ended(repo: string, error: string | null): void
  clear(): void
}

/** Prints a line for each finished repo and, on a terminal, a last line with the repos being fetched. */
export function showProgress(err: Output, total: number): UpdateProgress {
  const status = new StatusLine(err)
  const fetching = new Set<string>()
  let done = 0
  const draw = () => {
    if (fetching.size > 0) status.show(`${done} of ${total} done, fetching ${[...fetching].join(', ')}`)
  }
  return {
    started(repo) {
      fetching.add(repo)
      draw()
    },
    ended(repo, error) {
      fetching.delete(repo)
      done++
      status.clear()
      err.line(
        error === null
          ? `${err.paint('green', 'updated')} ${repo}`
          : `${err.paint('red', 'failed')}  ${repo}: ${error}`,
      )
      draw()
    },
    clear: () => status.clear(),
  }
}
