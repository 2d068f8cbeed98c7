// Whether the server still works on what a silent connection has asked. If packets were lost on the way, nothing would
// tell: a statement that waits for a lock or for a standby is silent, too.
import { connectSoon } from "./connect";
import type { Connector } from "./connector";
import { Link } from "./link";

const SILENT_MS = 1000;
const LIMIT_MS = 2000;
const WORKS =
  "SELECT 1 AS works FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND " +
  "(state = 'active' OR state_change > clock_timestamp() - interval '1 second')";

/** It would keep the lock of the writers until the server notices the silence. */
const END =
  "SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND usename = current_user " +
  "AND application_name = current_setting('application_name') " +
  "AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '1 second'";

const asked = new WeakSet<Link>();

/** `session`: the process of the server; undefined: it has not even answered the first statement. */
export function endIfGone(
  link: Link,
  session: number | undefined,
  connector: Connector,
  signal: AbortSignal,
): void {
  if (link.isLost || link.silentMs < SILENT_MS || asked.has(link)) return;
  asked.add(link);
  ask(link, session, connector, signal)
    // Now is not the time to know: the database cannot be reached at all.
    .catch(() => undefined)
    .finally(() => asked.delete(link));
}

async function ask(
  link: Link,
  session: number | undefined,
  connector: Connector,
  signal: AbortSignal,
): Promise<void> {
  const limited = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), signal]);
  const other = new Link(await connectSoon(connector, limited));
  try {
    const { rows } = await other.run(WORKS, [session ?? 0], LIMIT_MS);
    const isGone = rows.length === 0 || other.host !== link.host;
    if (!isGone || link.silentMs < SILENT_MS) return;
    link.lose();
    if (session !== undefined && other.host === link.host) await other.run(END, [session], LIMIT_MS);
  } finally {
    await other.close();
  }
}
