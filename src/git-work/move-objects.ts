import { copyFile, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { draftOf } from '../io/files.ts'

/** Moves git objects to another object directory, as git does with objects that it has received. */
export async function moveObjects(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (!/^([0-9a-f]{2}|pack)$/.test(name)) continue
    await makeDirectory(join(to, name))
    const files = (await readdir(join(from, name))).filter(file => !file.includes('tmp_'))
    // A pack is in use as soon as its index is there.
    const [last, first] = [files.filter(isPackIndex), files.filter(file => !isPackIndex(file))]
    for (const file of [...first, ...last]) await move(join(from, name, file), join(to, name, file))
  }
}

/** Not those above it: a directory that was deleted meanwhile must not come back. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function isPackIndex(file: string): boolean {
  return file.endsWith('.idx')
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    const draft = draftOf(to)
    await copyFile(from, draft)
    await rename(draft, to)
  }
}
