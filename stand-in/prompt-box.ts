import type { Key } from './keyboard-input.ts'

/** The actions that keys can trigger while the prompt box has the focus. */
export interface PromptActions {
  exitKey: ExitKey
  isRunning(): boolean
  agentView: boolean
  submit(text: string): void
  interrupt(): void
  /** The queued prompts, which are queued no longer. */
  takeBackQueue(): string | undefined
  nextMode(): void
  leave(): void
  openAgentView(): void
}

/** Triggers the key's action and returns the new state of the box. */
export function promptKey(box: PromptBox, key: Key, actions: PromptActions): PromptBox {
  if (key.name !== 'ctrl-c' && key.name !== 'ctrl-d') actions.exitKey.release()
  switch (key.name) {
    case 'enter':
      return enter(box, actions)
    case 'ctrl-s':
      return stash(box)
    case 'escape':
      if (actions.isRunning()) actions.interrupt()
      return box
    case 'ctrl-c':
      return controlC(box, actions)
    case 'ctrl-d':
      if (box.text === '' && actions.exitKey.press('Ctrl-D')) actions.leave()
      return box
    case 'shift-tab':
      actions.nextMode()
      return box
    case 'up':
      return box.text === '' ? { ...box, ...boxWith(actions.takeBackQueue() ?? '') } : box
    case 'left':
      if (box.text === '' && actions.agentView && !actions.isRunning()) actions.openAgentView()
  }
  return edit(box, key) ?? box
}

/** Enter after a backslash starts a new line. */
function enter(box: PromptBox, actions: PromptActions): PromptBox {
  if (box.text.trim() === '') return box
  if (box.text.endsWith('\\')) return { ...box, ...boxWith(`${box.text.slice(0, -1)}\n`) }
  return submit(box, actions)
}

/** A stashed text comes back after the next submission. */
export function submit(box: PromptBox, actions: Pick<PromptActions, 'submit'>): PromptBox {
  if (box.text.trim() === '') return box
  actions.submit(box.text)
  return boxWith(box.stash ?? '')
}

/** Puts the text aside, in place of one that was put aside before. In an empty box, brings it back. */
function stash(box: PromptBox): PromptBox {
  return box.text === '' ? boxWith(box.stash ?? '') : { ...emptyBox, stash: box.text }
}

function controlC(box: PromptBox, actions: PromptActions): PromptBox {
  if (actions.isRunning()) {
    actions.interrupt()
    return box
  }
  if (actions.exitKey.press('Ctrl-C')) actions.leave()
  return emptyBox
}

/** The text being typed and the position of the cursor in it. */
export interface PromptBox {
  text: string
  cursor: number
  /** The text that Ctrl-S has put aside. */
  stash?: string
}

export const emptyBox: PromptBox = { text: '', cursor: 0 }

export function boxWith(text: string): PromptBox {
  return { text, cursor: text.length }
}

/** Returns undefined if the key does not edit text. */
export function edit(box: PromptBox, key: Key): PromptBox | undefined {
  switch (key.name) {
    case 'text':
    case 'paste':
      return insert(box, key.text)
    case 'newline':
      return insert(box, '\n')
    case 'backspace':
      return backspace(box)
    case 'left':
      return { ...box, cursor: Math.max(0, box.cursor - 1) }
    case 'right':
      return { ...box, cursor: Math.min(box.text.length, box.cursor + 1) }
    case 'home':
      return { ...box, cursor: 0 }
    case 'end':
      return { ...box, cursor: box.text.length }
    case 'ctrl-u':
      return { ...box, text: box.text.slice(box.cursor), cursor: 0 }
    default:
      return undefined
  }
}

function insert(box: PromptBox, text: string): PromptBox {
  return {
    ...box,
    text: box.text.slice(0, box.cursor) + text + box.text.slice(box.cursor),
    cursor: box.cursor + text.length,
  }
}

function backspace(box: PromptBox): PromptBox {
  if (box.cursor === 0) return box
  const text = box.text.slice(0, box.cursor - 1) + box.text.slice(box.cursor)
  return { ...box, text, cursor: box.cursor - 1 }
}

/** Ctrl-C and Ctrl-D must be pressed twice to exit. */
export class ExitKey {
  private armed: 'Ctrl-C' | 'Ctrl-D' | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly changed: () => void
  private readonly windowMs: number

  constructor(changed: () => void, windowMs = 1_000) {
    this.changed = changed
    this.windowMs = windowMs
  }

  get hint(): string | undefined {
    return this.armed && `Press ${this.armed} again to exit`
  }

  /** Returns true on the second press. */
  press(key: 'Ctrl-C' | 'Ctrl-D'): boolean {
    if (this.armed === key) return true
    this.armed = key
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.release(), this.windowMs)
    this.timer.unref()
    this.changed()
    return false
  }

  release(): void {
    if (!this.armed) return
    this.armed = undefined
    this.changed()
  }
}
