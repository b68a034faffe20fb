import type { ChangesJson } from './mission-json.ts'

/** `+120 -8 ↑2 *`: changed lines, commits that the base does not have, and whether anything is uncommitted. */
export function changesWords(changes: ChangesJson | null): string {
  if (changes === null) return ''
  const { ahead, dirty } = changes
  return [changedLines(changes), ahead > 0 ? `↑${short(ahead)}` : '', dirty ? '*' : '']
    .filter(Boolean)
    .join(' ')
}

/** `+120 -8` */
export function changedLines({ files, insertions, deletions }: ChangesJson): string {
  if (insertions + deletions > 0) return `+${short(insertions)} -${short(deletions)}`
  // Binary files have no lines.
  return files > 0 ? counted(files) : ''
}

/** The same in full. */
export function changesInFull(changes: ChangesJson | null): string {
  if (changes === null) return ''
  const { files, insertions, deletions, ahead, unpushed, dirty } = changes
  return [
    files === 0 ? 'none' : `${counted(files)}, +${insertions} -${deletions}`,
    ahead > 0 ? `${ahead} ${ahead === 1 ? 'commit' : 'commits'}` : '',
    unpushed > 0 ? `${unpushed} not pushed` : '',
    dirty ? 'uncommitted changes' : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function counted(files: number): string {
  return `${files} ${files === 1 ? 'file' : 'files'}`
}

function short(count: number): string {
  if (count < 10_000) return String(count)
  return count < 10_000_000 ? `${Math.floor(count / 1000)}k` : `${Math.floor(count / 1_000_000)}M`
}
