import * as v from 'valibot'

/** The user's own binding of our prefix key. In an option of the server: both end with it. */
export const keptOption = '@agenc_kept_key'

const original = v.object({ command: v.string(), repeat: v.boolean(), note: v.nullable(v.string()) })

const kept = v.object({
  /** As `list-keys` names it. */
  key: v.string(),
  /** null: the key was free. */
  original: v.nullable(original),
})

export type Original = v.InferOutput<typeof original>
export type Kept = v.InferOutput<typeof kept>

export function parseKept(text: string): Kept | null {
  if (!text.startsWith('{')) return null
  try {
    return v.parse(kept, JSON.parse(text))
  } catch {
    return null
  }
}
