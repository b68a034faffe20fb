import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Receipt } from '../../src/claude/agent.ts'
import { findInbox, peerMessageId } from '../../src/claude/peer-socket.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

const id = peerMessageId('3f2a', 7)

/** A Claude's socket that keeps what it gets. */
async function someClaude({ mode = 0o700 } = {}) {
  const root = temporaryDirectory()
  const directory = join(root, 'socks')
  mkdirSync(directory, { mode: 0o700 })
  const socket = join(directory, '1.sock')
  const status = join(root, '1.json')
  const got: string[] = []
  const open = new Set<Socket>()
  const server = createServer(connection => {
    open.add(connection)
    connection.on('error', () => {})
    connection.setEncoding('utf8').on('data', (data: string) => got.push(...data.trim().split('\n')))
  })
  await new Promise<void>(resolve => server.listen(socket, resolve))
  onTestFinished(() => {
    for (const connection of open) connection.destroy()
    server.close()
  })
  chmodSync(directory, mode)
  const describe = (fields: Record<string, unknown>) =>
    writeFileSync(status, JSON.stringify({ messagingSocketPath: socket, peerProtocol: 1, ...fields }))
  describe({})
  const frames = () => got.map(line => JSON.parse(line))
  return { root, directory, socket, status, describe, frames, server }
}

test('sends the token and the message, and hears receipts about it', async () => {
  const { root, socket, status, frames, directory } = await someClaude()
  const hash = createHash('sha256').update(socket).digest('hex')
  writeFileSync(join(root, `1.${hash}.key`), '{"peerToken":"secret"}')
  writeFileSync(join(directory, 'agenc-999999999-0123abcd.sock'), '')
  const heard: Receipt[] = []
  const sent = findInbox(status)!.send({ id, text: 'Hello\n"you"' }, receipt => heard.push(receipt))
  expect(await sent.isSent).toBe(true)
  await waitFor('the message', () => frames().length === 2)
  const [auth, message] = frames()
  expect(auth).toEqual({ type: 'auth', token: 'secret' })
  expect(message).toMatchObject({
    type: 'user',
    msg_id: id,
    message: { role: 'user', content: 'Hello\n"you"' },
  })
  const own = message.from.replace('uds:', '')
  expect(readdirSync(directory).sort()).toEqual(['1.sock', own.split('/').at(-1)].sort())

  const status_ = { type: 'control', action: 'peer_message_status', orig_msg_id: id }
  const lines = [
    'no json',
    JSON.stringify({ ...status_, orig_msg_id: 'another', status: 'denied' }),
    JSON.stringify({ ...status_, status: 'unheard of' }),
    JSON.stringify({ ...status_, status: 'held' }),
    JSON.stringify({ ...status_, status: 'expired', status_detail: 'refused' }),
    JSON.stringify({ ...status_, orig_msg_id: undefined, status: 'dropped', dropped_msg_ids: ['x', id] }),
  ]
  connect(own).end(`${lines.join('\n')}\n`)
  await waitFor('the receipts', () => heard.length === 3)
  expect(heard).toEqual(['held', 'refused', 'dropped'])

  // A sender that writes without end is cut off.
  const flood = connect(own).on('error', () => {})
  flood.write('x'.repeat(1024 * 1024))
  await new Promise(resolve => flood.once('close', resolve))
  sent.close()
  await waitFor('the socket to be removed', () => readdirSync(directory).length === 1)
})

test('two messages have two senders', async () => {
  const { status, frames } = await someClaude()
  const inbox = findInbox(status)!
  const sent = [1, 2].map(number =>
    inbox.send({ id: peerMessageId('3f2a', number), text: 'Same.' }, () => {}),
  )
  for (const one of sent) expect(await one.isSent).toBe(true)
  await waitFor('both', () => frames().length === 2)
  expect(new Set(frames().map(({ from }) => from)).size).toBe(2)
  for (const one of sent) one.close()
})

test('a Claude that is gone gets nothing', async () => {
  const { status, server } = await someClaude()
  const inbox = findInbox(status)!
  await new Promise(resolve => server.close(resolve))
  const sent = inbox.send({ id, text: 'Hello.' }, () => {})
  expect(await sent.isSent).toBe(false)
  sent.close()
})

test('only a socket in a private directory of this user counts', async () => {
  const { status, describe, root, socket, directory } = await someClaude()
  expect(findInbox(status)).not.toBeNull()
  const link = join(directory, 'link.sock')
  symlinkSync(socket, link)
  writeFileSync(join(directory, 'file.sock'), '')
  for (const path of [
    link,
    join(directory, 'file.sock'),
    join(root, 'none.sock'),
    './socks/1.sock',
    `${socket}\0`,
    7,
  ]) {
    describe({ messagingSocketPath: path })
    expect(findInbox(status), String(path)).toBeNull()
  }
  describe({ peerProtocol: 2 })
  expect(findInbox(status)).toBeNull()
  writeFileSync(status, '[half')
  expect(findInbox(status)).toBeNull()
  expect(findInbox(join(root, 'none.json'))).toBeNull()
  const open = await someClaude({ mode: 0o755 })
  expect(findInbox(open.status)).toBeNull()
})

test('the same message always has the same id, and no other has it', () => {
  expect(peerMessageId('3f2a', 7)).toBe(id)
  expect(peerMessageId('3f2a', 8)).not.toBe(id)
  expect(peerMessageId('3f2b', 7)).not.toBe(id)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
})
