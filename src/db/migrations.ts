import type { Database } from 'better-sqlite3'

export interface Migration {
  name: string
  apply(db: Database): void
}

/**
 * Append only. A migration may only add to the schema, because wrappers of the previous version keep using the store
 * until their missions end.
 */
export const migrations: readonly Migration[] = [
  {
    name: '0001-missions-repos-history',
    apply: db =>
      db.exec(`
        CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;

        CREATE TABLE repos (
          id TEXT PRIMARY KEY,
          url TEXT NOT NULL,
          trusted INTEGER CHECK (trusted IN (0, 1)),
          added_at TEXT NOT NULL,
          updated_at TEXT NOT NULL
        ) STRICT;

        CREATE TABLE missions (
          id TEXT PRIMARY KEY,
          name TEXT,
          repo TEXT,
          parent_id TEXT,
          created_at TEXT NOT NULL,
          last_active_at TEXT NOT NULL,
          archived_at TEXT,
          setup_pending INTEGER NOT NULL DEFAULT 0,
          permission_mode TEXT,
          approve TEXT,
          model TEXT,
          session_id TEXT NOT NULL,
          session_begun INTEGER NOT NULL DEFAULT 0,
          forked_session_id TEXT,
          transcript_path TEXT,
          reported_permission_mode TEXT,
          wrapper_pid INTEGER,
          wrapper_start TEXT,
          claude_pid INTEGER,
          claude_start TEXT,
          heartbeat_at TEXT,
          state TEXT,
          waiting_for TEXT,
          waiting_since TEXT,
          background INTEGER NOT NULL DEFAULT 0,
          exit_code INTEGER,
          exit_signal TEXT,
          exit_at TEXT,
          ended_by TEXT,
          spool_done TEXT
        ) STRICT;
        CREATE INDEX missions_by_activity ON missions (last_active_at DESC);
        CREATE INDEX missions_by_repo ON missions (repo);

        CREATE TABLE events (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
          at TEXT NOT NULL,
          kind TEXT NOT NULL,
          data TEXT NOT NULL DEFAULT '{}'
        ) STRICT;
        CREATE INDEX events_by_mission ON events (mission_id, id);

        CREATE TABLE plans (
          mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
          path TEXT NOT NULL,
          at TEXT NOT NULL,
          PRIMARY KEY (mission_id, path)
        ) STRICT;
      `),
  },
  {
    name: '0002-approvals',
    // No foreign key to missions, so that approvals stay on record after their mission is deleted.
    apply: db =>
      db.exec(`
        CREATE TABLE approvals (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          mission_id TEXT NOT NULL,
          at TEXT NOT NULL,
          tool TEXT NOT NULL,
          input TEXT NOT NULL,
          decision TEXT NOT NULL DEFAULT 'ask',
          rule TEXT,
          decided_by TEXT,
          latency_ms INTEGER
        ) STRICT;
        CREATE INDEX approvals_by_mission ON approvals (mission_id, id);
        CREATE INDEX approvals_pending ON approvals (mission_id) WHERE decided_by IS NULL;
      `),
  },
  {
    name: '0003-confirmed-answers',
    apply: db => db.exec('ALTER TABLE approvals ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 1'),
  },
  {
    name: '0004-may-answer',
    apply: db => db.exec('ALTER TABLE missions ADD COLUMN may_answer INTEGER NOT NULL DEFAULT 0'),
  },
  {
    name: '0005-about',
    apply: db => db.exec('ALTER TABLE missions ADD COLUMN about TEXT'),
  },
  {
    name: '0006-last-used-repos',
    apply: db =>
      db.exec(`
        ALTER TABLE repos ADD COLUMN last_used_at TEXT;
        UPDATE repos SET last_used_at = (SELECT max(created_at) FROM missions WHERE missions.repo = repos.id);
      `),
  },
  {
    name: '0007-work',
    apply: db =>
      db.exec(`
        ALTER TABLE missions ADD COLUMN dir TEXT;
        ALTER TABLE missions ADD COLUMN copy_pending TEXT;
        ALTER TABLE missions ADD COLUMN removed_at TEXT;
        ALTER TABLE missions ADD COLUMN branch TEXT;
        ALTER TABLE missions ADD COLUMN base_ref TEXT;
        ALTER TABLE missions ADD COLUMN base_commit TEXT;
        ALTER TABLE missions ADD COLUMN base_at TEXT;
        ALTER TABLE missions ADD COLUMN first_port INTEGER;
        ALTER TABLE missions ADD COLUMN changes TEXT;
        ALTER TABLE missions ADD COLUMN conflicts TEXT;
        ALTER TABLE missions ADD COLUMN pr_number INTEGER;
        ALTER TABLE missions ADD COLUMN pr_url TEXT;
        ALTER TABLE repos ADD COLUMN default_branch TEXT;
        ALTER TABLE repos ADD COLUMN default_commit TEXT;
      `),
  },
  {
    name: '0008-talk',
    // A removal keeps the number that its event had, because events are deleted together with their mission.
    apply: db =>
      db.exec(`
        ALTER TABLE missions ADD COLUMN headless INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE missions ADD COLUMN headless_limits TEXT;
        ALTER TABLE missions ADD COLUMN result TEXT;
        ALTER TABLE missions ADD COLUMN resets_at TEXT;
        ALTER TABLE missions ADD COLUMN last_message TEXT;
        ALTER TABLE approvals ADD COLUMN handled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE approvals ADD COLUMN answer TEXT;
        ALTER TABLE missions ADD COLUMN agent_repos TEXT;

        CREATE TABLE messages (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
          at TEXT NOT NULL,
          text TEXT NOT NULL,
          sent_as TEXT NOT NULL,
          from_id TEXT,
          is_command INTEGER NOT NULL DEFAULT 0,
          may_wait INTEGER NOT NULL DEFAULT 0,
          status TEXT NOT NULL DEFAULT 'kept',
          reason TEXT,
          session_id TEXT,
          from_byte INTEGER,
          answer TEXT,
          answered_at TEXT
        ) STRICT;
        CREATE INDEX messages_open ON messages (mission_id, id) WHERE status IN ('kept', 'handed', 'queued');

        CREATE TABLE removals (
          event_id INTEGER PRIMARY KEY,
          mission_id TEXT NOT NULL,
          at TEXT NOT NULL
        ) STRICT;

        CREATE TABLE loops (
          id TEXT PRIMARY KEY,
          mission_id TEXT NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
          status TEXT NOT NULL DEFAULT 'running',
          wish TEXT NOT NULL,
          rounds TEXT NOT NULL DEFAULT '[]',
          reason TEXT,
          resets_at TEXT,
          runner_pid INTEGER,
          runner_start TEXT,
          check_pid INTEGER,
          check_start TEXT,
          run_at TEXT NOT NULL,
          run_from INTEGER NOT NULL DEFAULT 0,
          created_at TEXT NOT NULL,
          ended_at TEXT
        ) STRICT;
        CREATE INDEX loops_by_mission ON loops (mission_id);
      `),
  },
]
