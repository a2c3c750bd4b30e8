-- The tables of a fleet of gates.

-- What is kept of each record: the last whole record that was read or accepted, and the environments that a PATCH is creating.
CREATE TABLE patchgate_record (
  service text NOT NULL,   -- origin of the target
  kind    text NOT NULL,
  id      text NOT NULL,
  kept    json NOT NULL,   -- not jsonb, which takes not every name: account, record, isPart, seenAt, creating
  PRIMARY KEY (service, kind, id)
);

CREATE TABLE patchgate_approval (
  service      text NOT NULL,
  id           text NOT NULL,
  token        text NOT NULL,    -- hash
  request      text NOT NULL,    -- hash of method, path and session
  body         text NOT NULL,    -- hash
  state        text NOT NULL,    -- hash of the environments and languages that were known
  record       text NOT NULL,    -- kind and id
  approval     json NOT NULL,    -- what people see, and the salt of the token
  status       text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (service, id)
);
CREATE UNIQUE INDEX patchgate_approval_token ON patchgate_approval (service, token);
CREATE INDEX patchgate_approval_request ON patchgate_approval (service, request, body, state);
CREATE INDEX patchgate_approval_record ON patchgate_approval (service, record);
CREATE INDEX patchgate_approval_requested ON patchgate_approval (service, requested_at);

-- The files of a recording, so to say: each change of one locks its row.
CREATE TABLE patchgate_path (
  namespace text NOT NULL,
  recording text NOT NULL,
  method    text NOT NULL,
  path      text NOT NULL,
  exchanges integer NOT NULL DEFAULT 0,
  version   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, recording, path, method)
);
CREATE FUNCTION patchgate_tell_of_path() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  one patchgate_path := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF TG_OP = 'DELETE' THEN
    one.exchanges := 0;
    one.version := one.version + 1;
  END IF;
  PERFORM pg_notify('patchgate_path', json_build_array(
    one.namespace, one.recording, one.method, one.path, one.exchanges, one.version)::text);
  RETURN NULL;
END $$;
CREATE TRIGGER patchgate_path_changed AFTER INSERT OR UPDATE OR DELETE ON patchgate_path
  FOR EACH ROW EXECUTE FUNCTION patchgate_tell_of_path();
CREATE TABLE patchgate_exchange (
  place     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text NOT NULL,
  recording text NOT NULL,
  method    text NOT NULL,
  path      text NOT NULL,
  sequence  bytea NOT NULL,            -- hash of the request and its session
  run       text NOT NULL,
  exchange  json NOT NULL              -- as a file has it, bodies inline; not jsonb: bytes stay as they are
);
CREATE INDEX patchgate_exchange_path ON patchgate_exchange (namespace, recording, path, method, place);
CREATE INDEX patchgate_exchange_sequence ON patchgate_exchange (sequence);
CREATE TABLE patchgate_audit (
  place     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text NOT NULL,
  at        timestamptz NOT NULL,
  line      json NOT NULL
);
CREATE INDEX patchgate_audit_at ON patchgate_audit (namespace, at);
-- How far the outbox of each gate was shipped.
CREATE TABLE patchgate_outbox (
  id         text PRIMARY KEY,
  shipped    bigint NOT NULL,
  shipped_at timestamptz NOT NULL DEFAULT now()
);

-- `database` tells outboxes for which database they are: it outlives a dump, a restore and a failover.
CREATE TABLE patchgate_version (
  version  integer NOT NULL,
  database uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO patchgate_version VALUES (1);
