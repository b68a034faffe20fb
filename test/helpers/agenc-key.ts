import type { SessionBox } from './session.ts'
import type { Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

/** Presses `prefix a` and a key, like a person: each key is sent after tmux has handled the one before. */
export async function pressAgencKey(box: SessionBox, terminal: Terminal, key: string): Promise<void> {
  const table = (name: string) =>
    waitFor(`the table ${name}`, () => box.tmux('list-clients', '-F', '#{client_key_table}').trim() === name)
  terminal.type('\u0002')
  await table('prefix')
  terminal.type('a')
  await table('agenc')
  terminal.type(key)
}
