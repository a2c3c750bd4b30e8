-- What the gates keep of each record: the last whole one, and the environments that a PATCH is creating.
CREATE TABLE patchgate_records (
  service text NOT NULL,   -- origin of the target
  kind    text NOT NULL,
  id      text NOT NULL,
  kept    json NOT NULL,   -- not jsonb, which takes not every name: account, record, isPart, seenAt, creating
  PRIMARY KEY (service, kind, id)
);

CREATE TABLE patchgate_approvals (
  service      text NOT NULL,
  id           text NOT NULL,
  token        text NOT NULL,    -- hash
  request      text NOT NULL,    -- hash of method, path and session
  body         text NOT NULL,    -- hash
  state        text NOT NULL,    -- hash of the environments and languages that were known
  record       text NOT NULL,    -- kind and id
  asked        json NOT NULL,    -- what people see, and the salt of the token
  status       text NOT NULL DEFAULT 'pending',
  decided      json,             -- decidedAt, decidedBy, reason
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (service, id)
);
CREATE UNIQUE INDEX ON patchgate_approvals (service, token);
CREATE INDEX ON patchgate_approvals (service, request, body, state);
CREATE INDEX ON patchgate_approvals (service, record);
CREATE INDEX ON patchgate_approvals (service, requested_at);

-- What was recorded. A frame is as in the journal of a recording in files.
CREATE TABLE patchgate_exchanges (
  recording text NOT NULL,
  method    text NOT NULL,
  path      text NOT NULL,
  ordinal   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run       text NOT NULL,
  number    bigint NOT NULL,   -- in its run: none is inserted twice
  mode      text NOT NULL,     -- of the run; all: its answers take the places of those of earlier runs
  frame     bytea NOT NULL,
  UNIQUE (run, number)
);
CREATE INDEX ON patchgate_exchanges (recording, md5(path), ordinal);

CREATE TABLE patchgate_audit (
  run    text NOT NULL,
  number bigint NOT NULL,
  at     timestamptz NOT NULL,
  line   json NOT NULL,
  PRIMARY KEY (run, number)
);
CREATE INDEX ON patchgate_audit (at);
