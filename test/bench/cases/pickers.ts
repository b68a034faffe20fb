import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contest } from '../contest.ts'
import type { Box } from '../place/box.ts'
import { openScreen, type Screen } from '../place/screen.ts'
import { openQuietWindows, openSession } from '../place/session.ts'
import { markedName, markedNamePattern, storeMissions, storeRepos } from '../place/store.ts'
import type { Case } from './case.ts'

const windows = 100
const repos = 200

export const switchPicker: Case = { prepare: box => switchContest(box, windows, windows) }

/** The floor is what anybody would bind: the same popup, the same number of keys. */
export const newPicker: Case = {
  prepare: async box => {
    await storeRepos(box, repos)
    const directory = join(box.root, 'repos')
    mkdirSync(directory)
    for (let index = 0; index < repos; index++) writeFileSync(join(directory, markedName(index)), '')
    openSession(box)
    return pickerContest(box, 'n', ['-d', directory, 'ls | fzf'])
  },
}

export async function switchContest(box: Box, missions: number, withWindow: number): Promise<Contest> {
  const session = openSession(box)
  const stored = await storeMissions(box, missions)
  await openQuietWindows(box, session, stored.slice(0, withWindow))
  return pickerContest(box, 's', ['tmux list-windows | fzf'])
}

const floorKey = 'F'
const openTable = ['\u0002', 'a']

async function pickerContest(box: Box, key: string, floor: readonly string[]): Promise<Contest> {
  box.agenc(['tmux', 'inject-config'])
  box.tmux('bind-key', '-T', 'agenc', floorKey, 'display-popup', '-E', '-w', '80%', '-h', '60%', ...floor)
  const screen = await openScreen(box)
  return {
    subject: () => timePicker(screen, key),
    floor: () => timePicker(screen, floorKey),
  }
}

/** So many rows fit beside a preview. */
const readableRows = 5
const betweenKeysMs = 20
const popupCorner = '┌'

/** Timed from the last key, which comes when the others were taken. */
async function timePicker(screen: Screen, key: string): Promise<number> {
  for (const before of openTable) {
    screen.press(before)
    await sleep(betweenKeysMs)
  }
  const listed = (rows: readonly string[]) => rows.filter(row => markedNamePattern.test(row)).length
  const tookMs = await screen.time(key, 'the rows', rows => listed(rows) >= readableRows)
  // Not Escape, which tmux holds back for half a second.
  screen.press('\u0003')
  await screen.shows('no popup', rows => !rows.some(row => row.includes(popupCorner)))
  return tookMs
}
