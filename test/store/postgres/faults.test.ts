// Faults of the database, of the network and of servers: acknowledged writes are kept, none is repeated, callers are told
// `unavailable` meanwhile, and everything works again within five seconds. `test/long` runs more rounds.
import { expect } from "bun:test";
import { testOnFullDisk } from "../../support/postgres/full-disk";
import { testOnPostgres } from "../../support/postgres/programs";
import {
  cutConnections,
  failOvers,
  forgottenConnections,
  frozenServers,
  fullDisks,
  killedServers,
  restartedDatabase,
} from "./faults";

const ROUNDS = 3;
const LIMIT_MS = 120_000;

const faults = [
  ["servers are killed", killedServers],
  ["a server stops while it has the lock", frozenServers],
  ["the database restarts", restartedDatabase],
  ["connections are cut", cutConnections],
  ["connections are forgotten", forgottenConnections],
  ["a standby is promoted", failOvers],
] as const;

for (const [name, fault] of faults) {
  testOnPostgres(
    name,
    async () => {
      expect((await fault(ROUNDS)).stored).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
}

testOnFullDisk(
  "the disk of the database is full",
  async () => {
    expect((await fullDisks(ROUNDS)).refused).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
