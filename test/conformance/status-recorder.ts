import { mkdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

export type Status = Record<string, unknown>

/** Some states last a few milliseconds: only a thread that does nothing else sees them all. */
const watcher = `
const { readFileSync, watch } = require('node:fs')
const { join } = require('node:path')
const { parentPort, workerData: directory } = require('node:worker_threads')
watch(directory, (_event, name) => {
  if (!/^\\d+\\.json$/.test(name ?? '')) return
  try {
    parentPort.postMessage(readFileSync(join(directory, name), 'utf8'))
  } catch {}
})
parentPort.postMessage('ready')
`

/** Every state of Claude's status files, as they were written. */
export class StatusRecorder {
  readonly statuses: Status[] = []
  private readonly worker: Worker

  private constructor(worker: Worker) {
    this.worker = worker
  }

  static async open(directory: string): Promise<StatusRecorder> {
    mkdirSync(directory, { recursive: true })
    const recorder = new StatusRecorder(new Worker(watcher, { eval: true, workerData: directory }))
    await new Promise<void>(resolve => {
      recorder.worker.on('message', (text: string) => {
        if (text === 'ready') resolve()
        else recorder.note(text)
      })
    })
    return recorder
  }

  async close(): Promise<void> {
    await this.worker.terminate()
  }

  /** The file is rewritten in place, so half a file may be read. */
  private note(text: string): void {
    try {
      this.statuses.push(JSON.parse(text))
    } catch {}
  }
}
