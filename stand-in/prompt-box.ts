import type { Key } from './keys.ts'

/** What is being typed, and where the cursor stands in it. */
export interface PromptBox {
  text: string
  cursor: number
}

export const emptyBox: PromptBox = { text: '', cursor: 0 }

export function boxWith(text: string): PromptBox {
  return { text, cursor: text.length }
}

/** The box after an editing key; undefined when the key does not edit. */
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
      return { text: box.text.slice(box.cursor), cursor: 0 }
    default:
      return undefined
  }
}

function insert(box: PromptBox, text: string): PromptBox {
  return {
    text: box.text.slice(0, box.cursor) + text + box.text.slice(box.cursor),
    cursor: box.cursor + text.length,
  }
}

function backspace(box: PromptBox): PromptBox {
  if (box.cursor === 0) return box
  return { text: box.text.slice(0, box.cursor - 1) + box.text.slice(box.cursor), cursor: box.cursor - 1 }
}
