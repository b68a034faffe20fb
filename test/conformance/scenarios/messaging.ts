import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Bench } from '../bench.ts'
import { keys, leave, type Scenario, touch } from '../scenario.ts'

/** Another session, which sends messages to the running program and keeps the receipts. */
async function openPeer(bench: Bench) {
  const socket = String(bench.status!.messagingSocketPath)
  const own = join(dirname(socket), `agenc-${randomUUID().slice(0, 8)}.sock`)
  const receipts: Record<string, unknown>[] = []
  const server = createServer(connection => {
    let text = ''
    connection.setEncoding('utf8').on('data', (data: string) => {
      const lines = (text + data).split('\n')
      text = lines.pop()!
      receipts.push(...lines.map(line => JSON.parse(line)))
    })
  })
  await new Promise<void>(resolve => server.listen(own, resolve))
  const send = (...texts: string[]) =>
    new Promise<void>((resolve, reject) => {
      const connection = connect(socket)
        .on('close', () => resolve())
        .on('error', reject)
      const lines = texts.map(content => ({
        type: 'user',
        message: { role: 'user', content },
        priority: 'next',
        msg_id: randomUUID(),
        from: `uds:${own}`,
      }))
      connection.resume().end(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    })
  const statuses = () =>
    receipts.map(({ status, status_detail, drop_reason }) => ({ status, status_detail, drop_reason }))
  const untilReceipts = (count: number) => bench.until(() => receipts.length >= count, `${count} receipts`)
  return { send, statuses, untilReceipts, close: () => void server.close() }
}

/** What the transcript says about messages in the queue, and about who has sent them. */
function messageLines(bench: Bench): unknown[] {
  const [name] = bench.transcripts()
  if (name === undefined) return []
  const lines = readFileSync(join(bench.claude.config, 'projects', name), 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines.flatMap((line): unknown[] => {
    const { type, operation, content, reason, message, attachment, origin, isMeta } = JSON.parse(line)
    if (type === 'queue-operation') return [{ operation, content, reason }]
    if (attachment?.type === 'queued_command')
      return [
        {
          absorbed: attachment.prompt,
          kind: attachment.origin?.kind,
          id: typeof attachment.origin?.msg_id,
          isMeta: attachment.isMeta,
        },
      ]
    if (type !== 'user' || origin?.kind !== 'peer') return []
    return [{ taken: message.content.split('\n\n')[0], kind: origin.kind, id: typeof origin.msg_id, isMeta }]
  })
}

const untilLines = (bench: Bench, count: number) =>
  bench.until(() => messageLines(bench).length >= count, `${count} lines about messages`)

export const messaging: Scenario[] = [
  {
    name: 'a message of another session is plain text, and leaves a draft alone',
    play: async bench => {
      const terminal = await bench.ready()
      const peer = await openPeer(bench)
      const { peerProtocol, pid } = bench.status!
      terminal.send('my draft')
      await bench.untilScreen(terminal, /^❯\u00a0my draft/m)
      await peer.send('exit')
      await bench.untilEvent('Stop')
      await bench.untilStatus('idle')
      await peer.send('/help [[text Once.]]')
      await bench.untilEvent('Stop', 2)
      await bench.untilStatus('idle')
      // The same words of the same sender are dropped.
      await peer.send('/help [[text Once.]]')
      await peer.untilReceipts(1)
      await untilLines(bench, 6)
      await bench.untilScreen(terminal, /^❯\u00a0my draft/m)
      terminal.send(keys.ctrlC)
      await bench.untilScreen(terminal, /^❯\u00a0\s*$/m)
      await leave(bench, terminal)
      peer.close()
      const file = { peerProtocol, socket: String(pid).length > 0 }
      return { file, receipts: peer.statuses(), lines: messageLines(bench) }
    },
  },
  {
    name: 'a message of another session waits for an open dialog, and its hook runs when the model gets it',
    play: async bench => {
      const terminal = await bench.ready()
      const peer = await openPeer(bench)
      await bench.say(terminal, touch(bench))
      await bench.untilDialog(terminal, /Do you want/)
      await peer.send('Meanwhile.')
      await untilLines(bench, 1)
      await bench.untilStatus('waiting')
      terminal.send(keys.enter)
      await bench.untilEvent('Stop')
      await untilLines(bench, 3)
      await leave(bench, terminal)
      peer.close()
      return { receipts: peer.statuses(), lines: messageLines(bench) }
    },
  },
  {
    name: 'without permission prompts, a message of another session is held until the user decides',
    play: async bench => {
      const args = ['--session-id', bench.sessionId, '--permission-mode', 'bypassPermissions']
      const settings = ['--settings', bench.hooks.settings()]
      const terminal = bench.start([...args, ...settings], { env: { IS_SANDBOX: '1' } })
      await bench.untilReady(terminal)
      const peer = await openPeer(bench)
      await peer.send('First. [[text One.]]')
      await bench.untilDialog(terminal, /Held message/)
      await peer.untilReceipts(1)
      terminal.send(keys.esc)
      await peer.untilReceipts(2)
      await bench.untilStatus('idle')
      await peer.send('Second. [[text Two.]]')
      await bench.untilDialog(terminal, /Held message/)
      terminal.send(keys.down)
      await bench.untilScreen(terminal, /❯ Deliver/)
      terminal.send(keys.enter)
      await bench.untilEvent('Stop')
      await untilLines(bench, 3)
      await leave(bench, terminal)
      peer.close()
      return { receipts: peer.statuses(), lines: messageLines(bench) }
    },
  },
  {
    name: 'settings can refuse messages of other sessions',
    play: async bench => {
      bench.writeFile('home/.claude/settings.json', '{"crossSessionInbound":"refuse"}')
      const terminal = await bench.ready()
      const peer = await openPeer(bench)
      await peer.send('Hello.')
      await peer.untilReceipts(1)
      await leave(bench, terminal)
      peer.close()
      return { receipts: peer.statuses(), lines: messageLines(bench) }
    },
  },
]
