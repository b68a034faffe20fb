import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemContext } from '../../src/context.ts'
import { pictures } from './pictures.ts'

const root = process.cwd()
const context = { ...systemContext(), self: [process.execPath, join(root, 'bin', 'agenc.cjs')] }
for (const [path, text] of Object.entries(await pictures(context))) {
  writeFileSync(join(root, path), text)
  console.error(`wrote ${path}`)
}
