// A primary and a synchronous standby that change places.
import type { Cluster, ClusterOptions, Postmaster } from "./cluster";
import { createCluster, startCluster } from "./cluster";
import { runAsOwner } from "./programs";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Replication extends AsyncDisposable {
  readonly primary: Cluster;
  /** After `promote` the former primary. */
  readonly standby: Cluster;
  /** `postgres://user@127.0.0.1:port,127.0.0.1:port/database`, in an order that does not change. */
  url(database?: string, user?: string): string;
  /** Makes the standby the primary; fulfilled when it accepts writes. The former primary is not touched. */
  promote(): Promise<void>;
  /** Kills the primary, or stops it in an orderly way, and promotes the standby. No acknowledged commit is lost. */
  failOver(end?: "kill" | "fast"): Promise<void>;
  /** Rebuilds `standby` from the primary; fulfilled when commits wait for it. Until then they wait for nothing. */
  rejoin(): Promise<void>;
}

/** Both run, and commits wait until they are on the standby's disk. */
export async function startReplication(
  options: Pick<ClusterOptions, "fsync" | "settings"> = {},
): Promise<Replication> {
  const shared = { ...options, settings: { wal_keep_size: "128MB", ...options.settings } };
  const first = await startCluster(shared);
  const second = createCluster(shared);
  const roles = { primary: first, standby: second };

  const promote = async (): Promise<void> => {
    await roles.standby.psql("SELECT pg_promote(true, 60)");
    Object.assign(roles, { primary: roles.standby, standby: roles.primary });
  };
  const rejoin = (): Promise<void> => rebuild(roles.primary, roles.standby);
  await rejoin();
  return {
    get primary() {
      return roles.primary;
    },
    get standby() {
      return roles.standby;
    },
    url: (database = "postgres", user = "postgres") =>
      `postgres://${user}@127.0.0.1:${first.port},127.0.0.1:${second.port}/${database}`,
    promote,
    failOver: async (end = "kill") => {
      await (end === "kill" ? roles.primary.kill() : roles.primary.stop("fast"));
      await promote();
    },
    rejoin,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
    },
  };
}

async function rebuild(primary: Postmaster, standby: Postmaster): Promise<void> {
  await standby.clear();
  // The copy contains this setting: commits of the standby must not wait once it is promoted.
  await primary.psql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
  const source = `host=${primary.socketFolder} port=${primary.port} user=postgres`;
  const options = ["-D", standby.dataFolder, "-X", "stream", "-c", "fast", "--no-sync"];
  await runAsOwner([join(primary.programs, "pg_basebackup"), "-d", source, ...options]);
  standby.configure({ primary_conninfo: `${source} application_name=standby` });
  writeFileSync(join(standby.dataFolder, "standby.signal"), "");
  await standby.start();
  await primary.psql("ALTER SYSTEM SET synchronous_standby_names = 'standby'; SELECT pg_reload_conf()");
  while ((await primary.psql("SELECT sync_state FROM pg_stat_replication")) !== "sync") await Bun.sleep(20);
  // This commit waits for the standby, and with it everything that was committed before.
  await primary.psql("SELECT pg_logical_emit_message(true, 'test', 'joined')");
}
