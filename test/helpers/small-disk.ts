import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'

export interface SmallDisk {
  /** Uses up every byte. */
  fill(): void
  free(): void
}

/** Mounts a disk of 16 MB as this directory, which must not be in use yet. Skips the test where nothing can be mounted. */
export function smallDisk(context: TestContext, directory: string): SmallDisk {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'agenc-test', directory])
  if (mounted.status !== 0) context.skip('cannot mount a disk')
  const filler = join(directory, 'filler')
  const free = () => rmSync(filler, { force: true })
  onTestFinished(() => {
    free()
    execFileSync('umount', ['--lazy', directory])
  })
  return { fill: () => fillUp(filler), free }
}

function fillUp(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let bytes = 1024 * 1024; bytes > 0; ) {
      try {
        writeSync(file, Buffer.alloc(bytes))
      } catch {
        bytes = Math.floor(bytes / 4)
      }
    }
  } finally {
    closeSync(file)
  }
}
