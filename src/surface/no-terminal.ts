import type { ChildProcess } from 'node:child_process'
import { RotatedFile } from '../io/rotated-file.ts'
import type { OpenStdio, ShownMission, ShownState, Surface } from './surface.ts'

const mostLogBytes = 10 * 1024 * 1024

/** No terminal and no window. What Claude writes goes to a file, whether anyone reads it or not. */
export class HeadlessSurface implements Surface {
  readonly hasShellBelow = false
  readonly diesOfSignals = false
  readonly isHeadless = true
  readonly keyboard = null
  readonly #output: RotatedFile

  constructor(outputLog: string) {
    this.#output = new RotatedFile(outputLog, mostLogBytes)
  }

  /** The agent gets its prompt as a message, so its input stays open for more. */
  openStdio(_promptPath: string | null): OpenStdio {
    return { stdio: ['pipe', 'pipe', 'pipe'], close: () => {} }
  }

  onStarted({ stdout, stderr }: ChildProcess): void {
    for (const stream of [stdout, stderr]) {
      stream?.on('data', (chunk: Buffer) => this.#output.write(chunk))
      stream?.on('error', () => {})
    }
  }

  /** Nobody looks at it, so the user's `notify.command` runs. */
  show(_mission: ShownMission, _shown: ShownState): boolean | null {
    return false
  }

  wasTakenAway(): Promise<boolean> {
    return Promise.resolve(false)
  }

  alert(_words: string): void {}
  abandon(): void {}
  restore(): void {}
  leave(_options: { isStopped: boolean }): void {}
}
