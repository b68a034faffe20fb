import { type AgencError, configError } from '../../errors.ts'

/** A key and the setting that names it. */
export interface KeySetting {
  setting: string
  key: string
}

/** Ctrl keys that send the same byte as another key. */
const twins: Record<string, string> = { m: 'Enter', i: 'Tab', '[': 'Escape' }

/** Throws for a key that no version of tmux can bind. */
export function refuseImpossible({ setting, key }: KeySetting): void {
  const twin = twins[/^(?:c-|\^)(.)$/i.exec(key)?.[1]?.toLowerCase() ?? '']
  if (twin !== undefined) throw keyError({ setting, key }, `is what a terminal sends for ${twin}`)
  if (/^any$/i.test(key)) throw keyError({ setting, key }, 'stands for every key')
}

/** A key with tmux's own name for it: `C-Space` and `c-space` are the same key. */
export interface NamedKey extends KeySetting {
  name: string
}

/** Throws if two settings name the same key, or if one names a prefix key, which tmux handles before any table. */
export function refuseConflicts(table: readonly NamedKey[], prefixes: readonly string[]): void {
  for (const [index, setting] of table.entries()) {
    if (prefixes.includes(plainKey(setting.name))) throw keyError(setting, "is tmux's own prefix")
    const other = table.slice(0, index).find(({ name }) => name === setting.name)
    if (other) throw keyError(setting, `is already the key of ${other.setting}`)
  }
}

export function keyError({ setting, key }: KeySetting, problem: string): AgencError {
  return configError(
    `${setting}: ${JSON.stringify(key)} ${problem}`,
    `Choose one key as tmux writes it (n, C-n, M-n, F5): agenc config set ${setting} <key>`,
  )
}

/** Removes the quotes that `list-keys`, but not `list-keys -N`, puts around a key's name. */
export function plainKey(name: string): string {
  return name.replace(/^(["'])(.+)\1$/, '$2').replace(/\\(.)/g, '$1')
}
