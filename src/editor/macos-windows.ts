import type { Runner } from '../system/runner.ts'
import type { Window, WindowSystem } from './window-system.ts'

/** On the first run macOS may ask the user for a permission, and the call waits for the answer. */
const timeoutMs = 5_000

/**
 * Lists every ordinary window in one call. It needs no Accessibility permission, but gives titles only with the
 * Screen Recording permission. Windows that are off the screen and have no title are hidden helpers.
 */
const listScript = `
ObjC.import('CoreGraphics')
function run() {
  const all = $.CGWindowListCopyWindowInfo($.kCGWindowListExcludeDesktopElements, $.kCGNullWindowID)
  return JSON.stringify(ObjC.deepUnwrap(ObjC.castRefToObject(all))
    .filter(w => w.kCGWindowLayer === 0 && w.kCGWindowAlpha > 0 && (w.kCGWindowIsOnscreen || w.kCGWindowName))
    .map(w => ({ id: w.kCGWindowNumber, pid: w.kCGWindowOwnerPID, title: w.kCGWindowName || '' })))
}`

/** The Accessibility tree has no window numbers, so a window is identified by its title or by being the only one. */
const findWindow = `
function find(pid, title) {
  const owner = Application('System Events').processes.whose({ unixId: Number(pid) })[0]
  const windows = owner.windows()
  const named = windows.filter(w => title !== '' && w.name() === title)
  return { owner, window: named.length === 1 ? named[0] : windows.length === 1 ? windows[0] : null }
}`

const focusScript = `${findWindow}
function run([pid, title]) {
  const { owner, window } = find(pid, title)
  owner.frontmost = true
  if (window) window.actions.byName('AXRaise').perform()
}`

const closeScript = `${findWindow}
function run([pid, title]) {
  const { window } = find(pid, title)
  if (!window) throw new Error('there are several windows, and the title does not identify one of them')
  window.buttons.whose({ subrole: 'AXCloseButton' })[0].click()
}`

export function macosWindows(exec: Runner): WindowSystem {
  const run = (script: string, ...args: string[]) =>
    exec.capture('osascript', ['-l', 'JavaScript', '-e', script, ...args], { timeoutMs })
  const act = (script: string, { pid, title }: Window) => run(script, String(pid), title).exitCode === 0
  const list = () => parseWindowList(run(listScript).stdout)
  return {
    list,
    focus: window => act(focusScript, window),
    close: window => act(closeScript, window),
    idVariable: null,
    problem: () =>
      list() === null
        ? 'osascript does not list the windows; to raise and close windows, allow your terminal under Accessibility'
        : null,
  }
}

export function parseWindowList(text: string): Window[] | null {
  try {
    const rows: unknown = JSON.parse(text)
    return Array.isArray(rows) ? rows.flatMap(row => windowOf(row) ?? []) : null
  } catch {
    return null
  }
}

function windowOf(row: { id?: unknown; pid?: unknown; title?: unknown } | null): Window | null {
  if (typeof row?.id !== 'number' || typeof row.pid !== 'number') return null
  return { id: String(row.id), pid: row.pid, title: typeof row.title === 'string' ? row.title : '' }
}
