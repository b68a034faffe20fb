import type { Runner } from '../../system/runner.ts'
import type { Window, WindowSystem } from './system.ts'

/** The first run may wait for the user to grant a permission. */
const timeoutMs = 5_000

/**
 * Every ordinary window in one answer, without the Accessibility permission. Titles come only with the
 * Screen Recording permission. Windows off the screen and without a title are programs' hidden helpers.
 */
const listScript = `
ObjC.import('CoreGraphics')
function run() {
  const all = $.CGWindowListCopyWindowInfo($.kCGWindowListExcludeDesktopElements, $.kCGNullWindowID)
  return JSON.stringify(ObjC.deepUnwrap(ObjC.castRefToObject(all))
    .filter(w => w.kCGWindowLayer === 0 && w.kCGWindowAlpha > 0 && (w.kCGWindowIsOnscreen || w.kCGWindowName))
    .map(w => ({ id: w.kCGWindowNumber, pid: w.kCGWindowOwnerPID, title: w.kCGWindowName || '' })))
}`

/** The Accessibility tree knows no window numbers: the title, or being the only one, has to identify it. */
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
  if (!window) throw new Error('several windows, none with this title')
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
        ? 'osascript does not list the windows; to raise and close them, allow your terminal under Accessibility'
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
