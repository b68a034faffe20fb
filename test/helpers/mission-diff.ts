import type { ChangedFile } from '../../src/git-work/git-diff.ts'
import type { WorkBox } from './work.ts'

export interface DiffJson {
  mission: string
  base: string | null
  files: ChangedFile[]
}

export const diff = ({ agenc, id }: WorkBox, ...args: string[]) => agenc(['mission', 'diff', id, ...args])

export const diffJson = ({ agencJson, id }: WorkBox, ...args: string[]) =>
  agencJson<DiffJson>(['diff', id, ...args])

/** The names of the changed files. */
export const diffNames = (box: WorkBox, ...args: string[]) =>
  diff(box, '--name-only', ...args)
    .stdout.split('\n')
    .filter(Boolean)
