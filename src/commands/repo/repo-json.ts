import type { Context } from '../../context.ts'
import type { RepoRecord } from '../../db/repos.ts'
import { libraryPath } from '../../repo/library.ts'

export interface RepoJson {
  id: string
  url: string
  path: string
  /** null: never asked. */
  trusted: boolean | null
  missions: number
  added_at: string
  updated_at: string
}

export function repoJson({ paths }: Context, repo: RepoRecord, missions: number): RepoJson {
  return {
    id: repo.id,
    url: repo.url,
    path: libraryPath(paths.repos, repo.id),
    trusted: repo.trusted === null ? null : repo.trusted === 1,
    missions,
    added_at: repo.added_at,
    updated_at: repo.updated_at,
  }
}
