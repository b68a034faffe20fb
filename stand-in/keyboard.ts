import type { ExitKey } from './exit-key.ts'
import type { Key } from './keys.ts'
import { boxWith, edit, emptyBox, type PromptBox } from './prompt-box.ts'

/** What the keys of the prompt can do. */
export interface PromptActions {
  exitKey: ExitKey
  isRunning(): boolean
  agentView: boolean
  submit(text: string): void
  interrupt(): void
  nextMode(): void
  leave(): void
  openAgentView(): void
}

/** The box after a key, and what the key set off. */
export function promptKey(box: PromptBox, key: Key, actions: PromptActions): PromptBox {
  if (key.name !== 'ctrl-c' && key.name !== 'ctrl-d') actions.exitKey.release()
  switch (key.name) {
    case 'enter':
      return enter(box, actions)
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
    case 'left':
      if (box.text === '' && actions.agentView && !actions.isRunning()) actions.openAgentView()
  }
  return edit(box, key) ?? box
}

/** A trailing backslash asks for a new line. */
function enter(box: PromptBox, actions: PromptActions): PromptBox {
  if (box.text.trim() === '') return box
  if (box.text.endsWith('\\')) return boxWith(`${box.text.slice(0, -1)}\n`)
  actions.submit(box.text)
  return emptyBox
}

function controlC(box: PromptBox, actions: PromptActions): PromptBox {
  if (actions.isRunning()) {
    actions.interrupt()
    return box
  }
  if (actions.exitKey.press('Ctrl-C')) actions.leave()
  return emptyBox
}
