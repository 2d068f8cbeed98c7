// A disk of its own (tmpfs) that is nearly full while tokens are refreshed.
import { expect, onTestFinished } from "bun:test";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, connectionOf, succeeded, times, until } from "../connections/executing";
import { startServer } from "../../server";
import { setFact } from "../../src/store";
import { api, at } from "../support/api";
import { RotatingGrants } from "../support/token-endpoint";
import { mountDisk, testOnDisk, unmountDisk } from "../support/small-disk";
import { deploy, type Deployment, operator } from "../tools/deployment";

const HOUR = 3600_000;
const USERS = 20;
const LEFT_BYTES = 32 * 1024;

/** Users with expired tokens, on a disk of their own. `fill` leaves 32 KiB of it. */
async function expired() {
  const disk = mountDisk(8) ?? "";
  onTestFinished(() => unmountDisk(disk));
  const environment = { RUNTIME_DATA_DIR: join(disk, "data"), RUNTIME_PORT: "0" };
  const deployment = await deploy({ environment });
  const grants = new RotatingGrants();
  await deployment.addProvider();
  for (let user = 0; user <= USERS; user++)
    await deployment.give(`user-${user}`, grants.issue(`user-${user}`));
  deployment.idp.otherwise(grants.answer);
  deployment.clock.move(HOUR);
  const filler = join(disk, "filler");
  const fill = (): void => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - LEFT_BYTES, 1));
  };
  const callAll = (): Promise<number> =>
    times(USERS, (user) =>
      call(deployment.runtime, `user-${user}`).catch(() => ({ success: false }) as never),
    ).then(succeeded);
  return { deployment, grants, fill, empty: () => rmSync(filler), callAll };
}

async function active({ runtime }: Deployment): Promise<number> {
  const all = await times(USERS, (user) => connectionOf(runtime, `user-${user}`));
  return all.filter((connection) => connection?.connection_status === "active").length;
}

testOnDisk("no room was reserved: no token is sent, and every grant survives", async () => {
  const { deployment, fill, empty, callAll } = await expired();
  await using _ = deployment;
  fill();

  expect(await callAll()).toBe(0);
  expect(deployment.idp.requests).toEqual([]);
  empty();
  expect(await callAll()).toBe(USERS);
  expect(await active(deployment)).toBe(USERS);
});

testOnDisk(
  "the disk fills up after room was reserved: every new token is used, and stored in the end",
  async () => {
    const { deployment, grants, fill, empty, callAll } = await expired();
    await using _ = deployment;
    const { runtime, idp, clock } = deployment;
    // The disk becomes full while the provider works on the first requests.
    let filled = false;
    idp.otherwise(async (request) => {
      if (!filled) fill();
      filled = true;
      return grants.answer(request);
    });
    await callAll();
    expect(await callAll()).toBe(idp.requests.length);
    const asked = idp.requests.length;
    empty();
    await until(async () => (await callAll()) === USERS);
    await runtime.connections.close();
    const other = await deployment.another();
    clock.move(HOUR);

    expect(asked).toBeGreaterThan(0);
    expect(succeeded(await times(USERS, (user) => call(other, `user-${user}`)))).toBe(USERS);
  },
);

testOnDisk(
  "reserved room is given to a reserved write only, and is not reserved again on a full disk",
  async () => {
    const { deployment, fill } = await expired();
    await using _ = deployment;
    const { store } = deployment.runtime.core;
    const values: string[] = [];
    function* big(name: string) {
      yield* setFact(name, "x".repeat(256 * 1024));
    }
    await store.reserve();
    fill();
    await store.write(() => big("plain")).catch(() => values.push("plain failed"));
    await store.write(() => big("reserved"), { reserved: true });
    await store.reserve().catch(() => values.push("no room"));

    expect(values).toEqual(["plain failed", "no room"]);
    expect(
      (await store.get<{ value: string }>({ text: "SELECT value FROM facts WHERE name = ?" }, "reserved"))
        ?.value,
    ).toHaveLength(256 * 1024);
  },
);

testOnDisk("a write over HTTP is 503 with the reason and stores nothing, until there is room", async () => {
  const { deployment, fill, empty } = await expired();
  await using _ = deployment;
  const server = await startServer(deployment.runtime);
  const { key } = await deployment.runtime.identity.createKey(operator(), { name: "admin", role: "admin" });
  const admin = api(server.address, key);
  const store = (name: string) => admin.post(`/v1/admin/secrets/${name}`, { value: "x".repeat(5000) });
  const names = async () => (at((await admin.get("/v1/admin/secrets")).body, "items") as unknown[]).length;
  fill();
  let stored = 0;
  let answer = await store("S0");
  // What is left takes a few of them.
  for (; answer.status === 200 && stored < 50; answer = await store(`S${stored}`)) stored += 1;

  expect([answer.status, at(answer.body, "message")]).toEqual([
    503,
    "The disk of the database is full, so nothing was stored. Make room on it, then send the request again.",
  ]);
  expect(await names()).toBe(stored);
  empty();
  expect((await store(`S${stored}`)).status).toBe(200);
  await server.stop();
});
