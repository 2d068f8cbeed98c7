// The faults that an installation with many servers must survive, each as a function that runs a number of rounds under
// load and returns the account.
import { startCluster } from "../../support/postgres/cluster";
import { startOnSmallDisk } from "../../support/postgres/full-disk";
import { type Proxy, startProxy } from "../../support/postgres/proxy";
import { startReplication } from "../../support/postgres/standby";
import { Load } from "./faults-load";

export interface Account {
  stored: number;
  unknown: number;
  refused: number;
  unread: number;
  slowest: number;
}

type Round = (load: Load, index: number) => Promise<void>;

async function underLoad(url: string, rounds: number, round: Round): Promise<Account> {
  await using load = new Load(url);
  await load.start();
  for (let index = 0; index < rounds; index++) {
    await round(load, index);
    // The next fault comes at another moment of the work.
    await load.works(Date.now());
    await Bun.sleep((index * 37) % 100);
  }
  return { ...(await load.account()), slowest: load.slowest };
}

/** A server is killed, and another one takes its place. */
export async function killedServers(rounds: number): Promise<Account> {
  await using cluster = await startCluster();
  return await underLoad(cluster.url(), rounds, async (load) => {
    await load.kill(load.process(0));
    await load.recovers();
    await load.start(1);
  });
}

/** Where a server stops: inside of a transaction, before its commit is sent, and before the answer to it is read. */
const places = ["body", "commit", "answer"];

/** A server stops and goes on later. Every second time, the database has ended its sessions meanwhile. */
export async function frozenServers(rounds: number): Promise<Account> {
  await using cluster = await startCluster();
  return await underLoad(cluster.url(), rounds, async (load, index) => {
    const frozen = load.process(Math.floor(index / 3) % 3);
    const before = load.told.length;
    load.send(frozen, `freeze ${places[index % 3]}`);
    await load.until(({ is }) => is === "frozen", before);
    await load.recovers(frozen);
    const sessions = `FROM pg_stat_activity WHERE application_name = 'runtime faults ${frozen.child.pid}'`;
    if (index % 2 === 1) await cluster.psql(`SELECT pg_terminate_backend(pid) ${sessions}`);
    frozen.child.kill("SIGCONT");
    await load.recovers();
  });
}

/** The database ends in three ways and starts again. */
export async function restartedDatabase(rounds: number): Promise<Account> {
  await using cluster = await startCluster();
  const ends = [() => cluster.stop("fast"), () => cluster.stop("immediate"), () => cluster.kill()];
  return await underLoad(cluster.url(), rounds, async (load, index) => {
    await ends[index % 3]?.();
    await Bun.sleep(500);
    await cluster.start();
    await load.recovers();
  });
}

type Cut = (proxy: Proxy) => Promise<void>;

/** Packets are lost for as long as a caller waits, and arrive later. */
const late: Cut = async (proxy) => {
  proxy.cut();
  await Bun.sleep(4000);
  proxy.heal();
};

/** Connections end, and so do new ones at first. */
const ended: Cut = async (proxy) => {
  for (let times = 0; times < 5; times++) {
    proxy.reset();
    await Bun.sleep(100);
  }
};

/** Commits reach the database, their answers do not reach the servers. */
const unanswered: Cut = async (proxy) => {
  await proxy.holdAfter("COMMIT");
  await Bun.sleep(50);
  proxy.reset();
  proxy.heal();
};

/** Commits do not reach the database. */
const unheard: Cut = async (proxy) => {
  await proxy.holdBefore("COMMIT");
  await Bun.sleep(50);
  proxy.reset();
  proxy.heal();
};

export async function cutConnections(rounds: number): Promise<Account> {
  await using cluster = await startCluster();
  await using proxy = startProxy({ port: cluster.port });
  const cuts = [unanswered, unheard, ended, late];
  return await underLoad(proxy.url(cluster.url()), rounds, async (load, index) => {
    await cuts[index % cuts.length]?.(proxy);
    await load.recovers();
  });
}

/** A firewall forgets connections: their packets are lost, those of new connections arrive. */
export async function forgottenConnections(rounds: number): Promise<Account> {
  await using cluster = await startCluster();
  await using proxy = startProxy({ port: cluster.port });
  return await underLoad(proxy.url(cluster.url()), rounds, async (load) => {
    proxy.forget();
    await load.recovers();
    proxy.reset();
  });
}

/** The primary is killed or stopped, and its synchronous standby is promoted. */
export async function failOvers(rounds: number): Promise<Account> {
  await using replication = await startReplication();
  return await underLoad(replication.url(), rounds, async (load, index) => {
    await replication.failOver(index % 2 === 0 ? "kill" : "fast");
    await load.recovers();
    await replication.rejoin();
  });
}

export async function fullDisks(rounds: number): Promise<Account> {
  await using disk = await startOnSmallDisk();
  return await underLoad(disk.cluster.url(), rounds, async (load) => {
    const before = load.told.length;
    disk.fill();
    await load.until(({ is }) => is === "refused" || is === "unknown", before);
    await Bun.sleep(500);
    disk.free();
    await disk.cluster.start();
    await load.recovers();
  });
}
