import { dropCompiledCode } from '../system/compiled-code.ts'
import { isTaken, type ProcessIdentity } from '../system/process-identity.ts'
import { listTree } from '../system/process-tree.ts'
import { wasJustClosed } from '../tmux/session-closed-marker.ts'
import { releaseLease } from './lease.ts'
import type { Shared } from './restart-loop.ts'
import { SignalListener } from './signal-listener.ts'

/** Before bin/agenc.cjs keeps what is compiled for the starts to come. */
const firstMs = 500
/** After that: V8 takes nothing that was kept under other flags. */
const settledMs = 3_000

/**
 * V8 compiles what is called for the first time: of thirty wrappers that are told to end at once, each would do that
 * then, on the same few cores. So each goes through its ending before, and again when V8 has dropped it.
 */
export function rehearseLater(shared: Shared, readReports: () => void): void {
  // A mission that is over may still show why it failed.
  const rehearse = () => {
    if (!shared.db.open) return
    rehearseEnding(shared)
    readReports()
  }
  setTimeout(rehearse, firstMs).unref()
  const settle = async () => {
    await dropCompiledCode()
    rehearse()
    shared.log('settled')
  }
  setTimeout(() => void settle(), settledMs).unref()
}

const nobody: ProcessIdentity = { pid: 0, start: '' }

/** Most of what an ending does, with nothing that ends by it. */
export function rehearseEnding({ context, db, id, probe, log }: Shared): void {
  try {
    new SignalListener().close()
    listTree(context.exec, probe, process.pid)
    probe.isSuspended(process.pid)
    isTaken(process.pid)
    clearTimeout(setTimeout(() => {}))
    process.nextTick(() => {})
    wasJustClosed(context.paths, context.now())
    releaseLease(db, id, nobody, { code: 0, signal: null, isLost: false }, context.now())
  } catch (error) {
    log(`not rehearsed: ${String(error)}`)
  }
}
