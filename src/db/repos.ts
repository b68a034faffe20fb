import type { Database } from 'better-sqlite3'

export interface RepoRecord {
  /** `github.com/owner/name`, or `local/<parent>/<name>`. */
  id: string
  url: string
  /** Null if the user was never asked. */
  trusted: 0 | 1 | null
  added_at: string
  updated_at: string
  /** The time at which the last mission was started on it. */
  last_used_at: string | null
  /** The default branch and its commit, as they were at `updated_at`. Null if that is not known. */
  default_branch: string | null
  default_commit: string | null
}

export function insertRepo(
  db: Database,
  repo: Pick<RepoRecord, 'id' | 'url' | 'trusted' | 'added_at' | 'updated_at'>,
): void {
  db.prepare(
    `INSERT INTO repos (id, url, trusted, added_at, updated_at) VALUES (@id, @url, @trusted, @added_at, @updated_at)
     ON CONFLICT (id) DO UPDATE SET url = excluded.url, updated_at = excluded.updated_at,
       trusted = coalesce(excluded.trusted, trusted)`,
  ).run(repo)
}

export function listRepos(db: Database): RepoRecord[] {
  return db.prepare<[], RepoRecord>('SELECT * FROM repos ORDER BY id').all()
}

/** For pickers: last used first, then those that were never used, by id. */
export function listReposByUse(db: Database): RepoRecord[] {
  return db.prepare<[], RepoRecord>('SELECT * FROM repos ORDER BY last_used_at DESC NULLS LAST, id').all()
}

export function getRepo(db: Database, id: string): RepoRecord | undefined {
  return db.prepare<[string], RepoRecord>('SELECT * FROM repos WHERE id = ?').get(id)
}

export function setRepoTrusted(db: Database, id: string, trusted: boolean): void {
  db.prepare('UPDATE repos SET trusted = ? WHERE id = ?').run(trusted ? 1 : 0, id)
}

export function setRepoUpdated(db: Database, id: string, url: string, at: string): void {
  db.prepare('UPDATE repos SET url = ?, updated_at = ? WHERE id = ?').run(url, at, id)
}

export function setRepoDefault(db: Database, id: string, base: { ref: string; commit: string } | null): void {
  db.prepare('UPDATE repos SET default_branch = ?, default_commit = ? WHERE id = ?').run(
    base?.ref ?? null,
    base?.commit ?? null,
    id,
  )
}

export function setRepoUsed(db: Database, id: string, at: string): void {
  db.prepare('UPDATE repos SET last_used_at = ? WHERE id = ?').run(at, id)
}

export function deleteRepo(db: Database, id: string): void {
  db.prepare('DELETE FROM repos WHERE id = ?').run(id)
}
