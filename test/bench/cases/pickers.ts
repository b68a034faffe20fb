import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openQuietWindows, openSession } from '../bench-session.ts'
import type { Box } from '../box.ts'
import { openScreen, type Screen } from '../client-screen.ts'
import type { Case, Comparison } from '../comparison.ts'
import { markedName, markedNamePattern, storeMissions, storeRepos } from '../stored-missions.ts'

const windows = 100
const repos = 200

export const switchPicker: Case = { prepare: box => compareSwitcher(box, windows, windows) }

/** The floor is what a user would bind by hand: a popup of the same size, behind the same number of keys. */
export const newPicker: Case = {
  prepare: async box => {
    await storeRepos(box, repos)
    const directory = join(box.root, 'repos')
    mkdirSync(directory)
    for (let index = 0; index < repos; index++) writeFileSync(join(directory, markedName(index)), '')
    openSession(box)
    return comparePicker(box, 'n', ['-d', directory, 'ls | fzf'])
  },
}

export async function compareSwitcher(box: Box, missions: number, withWindow: number): Promise<Comparison> {
  const session = openSession(box)
  const stored = await storeMissions(box, missions)
  await openQuietWindows(box, session, stored.slice(0, withWindow))
  return comparePicker(box, 's', ['tmux list-windows | fzf'])
}

const floorKey = 'F'
const openTable = ['\u0002', 'a']

async function comparePicker(box: Box, key: string, floor: readonly string[]): Promise<Comparison> {
  box.agenc(['tmux', 'inject-config'])
  box.tmux('bind-key', '-T', 'agenc', floorKey, 'display-popup', '-E', '-w', '80%', '-h', '60%', ...floor)
  const screen = await openScreen(box)
  return {
    subject: () => timePicker(screen, key),
    floor: () => timePicker(screen, floorKey),
  }
}

/** The list has room for this many rows next to a preview. */
const readableRows = 5
const betweenKeysMs = 20
const popupCorner = '┌'

/** Times from the last key. The pauses let tmux handle the keys before it. */
async function timePicker(screen: Screen, key: string): Promise<number> {
  for (const earlierKey of openTable) {
    screen.press(earlierKey)
    await sleep(betweenKeysMs)
  }
  const listed = (rows: readonly string[]) => rows.filter(row => markedNamePattern.test(row)).length
  const tookMs = await screen.time(key, 'the rows', rows => listed(rows) >= readableRows)
  // Ctrl-C, because tmux delays Escape by half a second.
  screen.press('\u0003')
  await screen.shows('no popup', rows => !rows.some(row => row.includes(popupCorner)))
  return tookMs
}
