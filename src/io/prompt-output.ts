import { lacksUnicode, toAscii } from './ascii.ts'

/** Where questions are drawn; on a terminal without UTF-8, with characters that it has. */
export function promptOutput(env: NodeJS.ProcessEnv): NodeJS.WritableStream {
  if (!lacksUnicode(env)) return process.stderr
  // Loaded here: it costs 2 ms, and few need it.
  const { Writable } = process.getBuiltinModule('node:stream')
  const ascii = new Writable({
    decodeStrings: false,
    write: (text: Buffer | string, _encoding, done) => void process.stderr.write(toAscii(String(text)), done),
  })
  return Object.assign(ascii, { columns: process.stderr.columns, isTTY: true })
}
