/**
 * Schema 1. Truth tables are append-only; everything under "derived" can be dropped and made again from them.
 * Entries have an integer key inside the file and a text id outside: a key costs 3 bytes where an id costs 30.
 */
export const INITIAL_SCHEMA = `
-- truth
CREATE TABLE entry_identity (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  op TEXT NOT NULL,
  entry_key INTEGER,
  actor TEXT NOT NULL,
  payload TEXT NOT NULL,
  payload_hash BLOB NOT NULL,
  chain_hash BLOB NOT NULL
) STRICT;
CREATE INDEX event_entry ON event(entry_key) WHERE entry_key IS NOT NULL;

CREATE TABLE revision (
  key INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  n INTEGER NOT NULL,
  text TEXT NOT NULL,
  fields TEXT NOT NULL,
  content_hash BLOB NOT NULL,
  event_seq INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX revision_entry ON revision(entry_key, n);

CREATE TABLE provenance (
  key INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  source TEXT NOT NULL,
  author TEXT, host TEXT, session TEXT, branch TEXT, commit_id TEXT, file TEXT, file_hash TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX provenance_entry ON provenance(entry_key);

CREATE TABLE outcome (
  key INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  session TEXT,
  verdict TEXT NOT NULL,
  note TEXT
) STRICT;
CREATE INDEX outcome_entry ON outcome(entry_key);

-- what a retracted or erased text left behind, so that it is not taken in again: a keyed hash, never the text
CREATE TABLE forgotten (
  content_mac BLOB PRIMARY KEY,
  source_mac BLOB,
  entry_key INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- derived
CREATE TABLE entry (
  key INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  revision_key INTEGER NOT NULL,
  content_hash BLOB NOT NULL,
  source_key TEXT,
  source_hash BLOB,
  workflow TEXT,
  trust TEXT NOT NULL,
  quality INTEGER NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  superseded_by INTEGER,
  suspect INTEGER NOT NULL DEFAULT 0,
  worked INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- term bag of the whole document where it has several passages; else the passage's own bag counts
  bag BLOB,
  terms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_content ON entry(content_hash) WHERE state IN ('active', 'quarantined');
CREATE UNIQUE INDEX entry_source ON entry(source_key) WHERE source_key IS NOT NULL AND state IN ('active', 'quarantined');
CREATE INDEX entry_inactive ON entry(content_hash) WHERE state NOT IN ('active', 'quarantined');

-- counts and term sums (entry:<state>, passage, vector:<space>), kept by triggers so that no call has to count a table
CREATE TABLE tally (name TEXT PRIMARY KEY, n INTEGER NOT NULL, terms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
  INSERT INTO tally VALUES ('entry:' || NEW.state, 1, NEW.terms)
    ON CONFLICT (name) DO UPDATE SET n = n + 1, terms = terms + excluded.terms;
END;
CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
  UPDATE tally SET n = n - 1, terms = terms - OLD.terms WHERE name = 'entry:' || OLD.state;
END;
CREATE TRIGGER entry_changed AFTER UPDATE OF state, terms ON entry
WHEN OLD.state <> NEW.state OR OLD.terms <> NEW.terms BEGIN
  UPDATE tally SET n = n - 1, terms = terms - OLD.terms WHERE name = 'entry:' || OLD.state;
  INSERT INTO tally VALUES ('entry:' || NEW.state, 1, NEW.terms)
    ON CONFLICT (name) DO UPDATE SET n = n + 1, terms = terms + excluded.terms;
END;

CREATE TABLE entry_tag (tag TEXT NOT NULL, entry_key INTEGER NOT NULL, PRIMARY KEY (tag, entry_key)) STRICT, WITHOUT ROWID;
CREATE TABLE entry_file (path TEXT NOT NULL, entry_key INTEGER NOT NULL, PRIMARY KEY (path, entry_key)) STRICT, WITHOUT ROWID;

CREATE TABLE passage (
  key INTEGER PRIMARY KEY,
  entry_key INTEGER NOT NULL,
  n INTEGER NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  bag BLOB NOT NULL
) STRICT;
CREATE INDEX passage_entry ON passage(entry_key);
CREATE TRIGGER passage_added AFTER INSERT ON passage BEGIN
  INSERT INTO tally VALUES ('passage', 1, NEW.terms) ON CONFLICT (name) DO UPDATE SET n = n + 1, terms = terms + excluded.terms;
END;
CREATE TRIGGER passage_removed AFTER DELETE ON passage BEGIN
  UPDATE tally SET n = n - 1, terms = terms - OLD.terms WHERE name = 'passage';
END;

CREATE VIRTUAL TABLE entry_fts USING fts5(
  body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*' tokenchars '_'"
);
CREATE VIRTUAL TABLE entry_fts_vocab USING fts5vocab('entry_fts', 'row');
CREATE VIRTUAL TABLE identifier_tri USING fts5(
  names, content='', contentless_delete=1, detail='none', tokenize='trigram'
);

CREATE TABLE signature (
  key TEXT NOT NULL,
  level INTEGER NOT NULL, -- 1 exact, 2 core
  entry_key INTEGER NOT NULL,
  PRIMARY KEY (key, entry_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX signature_entry ON signature(entry_key);

CREATE TABLE conflict (
  entry_key INTEGER NOT NULL,
  other_key INTEGER NOT NULL,
  relation TEXT NOT NULL, -- near, conflict
  score REAL,
  at INTEGER NOT NULL,
  decided TEXT,
  PRIMARY KEY (entry_key, other_key, relation)
) STRICT, WITHOUT ROWID;

CREATE TABLE space (
  key INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  parts TEXT NOT NULL,
  state TEXT NOT NULL, -- filling, active, old
  calibration TEXT,
  at INTEGER NOT NULL
) STRICT;

-- the key only grows, so a scan cache knows what is new since it last looked
CREATE TABLE vector (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  passage_key INTEGER NOT NULL,
  space_key INTEGER NOT NULL,
  data BLOB NOT NULL,
  -- per mille of [UNK] among the tokens of the passage
  unknown INTEGER NOT NULL,
  text_hash BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vector_passage ON vector(passage_key, space_key);
CREATE TRIGGER vector_added AFTER INSERT ON vector BEGIN
  INSERT INTO tally VALUES ('vector:' || NEW.space_key, 1, 0) ON CONFLICT (name) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER vector_removed AFTER DELETE ON vector BEGIN
  UPDATE tally SET n = n - 1 WHERE name = 'vector:' || OLD.space_key;
END;

-- working state
CREATE TABLE usage (entry_key INTEGER PRIMARY KEY, recalled INTEGER NOT NULL, last_recalled_at INTEGER NOT NULL) STRICT;

CREATE TABLE pending (
  id TEXT PRIMARY KEY,
  payload TEXT NOT NULL,
  content_hash BLOB NOT NULL,
  reason TEXT NOT NULL, -- prompted, near_duplicate
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided TEXT
) STRICT;

CREATE TABLE idempotency (event_id TEXT PRIMARY KEY, answer TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE recall_log (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  query_hash BLOB NOT NULL,
  status TEXT NOT NULL,
  mode TEXT NOT NULL,
  top_score REAL,
  entry_keys TEXT NOT NULL,
  session TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX recall_log_session ON recall_log(session, at);

CREATE TABLE imported_file (sha256 BLOB PRIMARY KEY, path TEXT NOT NULL, report TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
