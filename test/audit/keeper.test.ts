// What a server does for the audit trail: signed heads outside of the database, and the removal of old rows.
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseHeads } from "../../src/audit/heads";
import { query, run } from "../../src/store";
import { temporaryFolder } from "../support/temporary";
import { deploy, type Deployment, operator } from "../tools/deployment";

const DAY_MS = 24 * 3600_000;

async function write({ runtime }: Deployment, ...keys: string[]): Promise<void> {
  for (const key of keys) await runtime.secrets.upsert(operator(), key, { value: "v" });
}

const verified = async ({ runtime }: Deployment, heads?: string) =>
  (await runtime.inspection.verify(heads)).problems.map(({ chain, number, problem }) => ({
    chain,
    number,
    problem,
  }));

/** Keeps what is posted. */
function headServer(status = 200) {
  const bodies: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      bodies.push(await request.text());
      return new Response(null, { status });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/heads`,
    bodies,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

describe("heads", () => {
  test("go to the log, the file and the address, when they have changed", async () => {
    using server = headServer();
    const file = join(temporaryFolder(), "heads.ndjson");
    await using deployment = await deploy({
      environment: { RUNTIME_AUDIT_HEADS_URL: server.url, RUNTIME_AUDIT_HEADS_FILE: file },
    });
    const { auditKeeper } = deployment.runtime;
    await write(deployment, "A", "B");
    await auditKeeper.publish();
    await auditKeeper.publish();
    await write(deployment, "C");
    await auditKeeper.publish();

    const logged = deployment.logLines.filter((line) => line.includes('"audit head"'));
    for (const text of [logged.join("\n"), readFileSync(file, "utf8"), server.bodies.join("")]) {
      expect(parseHeads(text).map(({ chain, number }) => [chain, number])).toEqual([
        ["default", 2],
        ["default", 3],
      ]);
      expect(await verified(deployment, text)).toEqual([]);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("that could not be sent are sent the next time", async () => {
    using server = headServer(500);
    await using deployment = await deploy({ environment: { RUNTIME_AUDIT_HEADS_URL: server.url } });
    await write(deployment, "A");
    await deployment.runtime.auditKeeper.publish();
    await deployment.runtime.auditKeeper.publish();

    expect(server.bodies).toHaveLength(2);
    expect(deployment.logLines.filter((line) => line.includes('"audit head"'))).toHaveLength(1);
    expect(deployment.logLines.join()).toContain("audit heads not kept");
  });

  test("are published at the start and at the end of a server", async () => {
    await using deployment = await deploy();
    await write(deployment, "A");
    const stop = deployment.runtime.auditKeeper.start();
    await write(deployment, "B");
    await stop();

    const logged = deployment.logLines.filter((line) => line.includes('"audit head"')).join("\n");
    expect(parseHeads(logged).at(-1)?.number).toBe(2);
  });

  test("of another installation, and changed ones, are refused", async () => {
    await using deployment = await deploy();
    await using other = await deploy();
    await write(deployment, "A");
    await write(other, "A");
    const [own] = await deployment.runtime.inspection.heads();
    const [foreign] = await other.runtime.inspection.heads();

    for (const head of [foreign, { ...own, number: 0 }, { ...own, signed_at: "2026-01-01T00:00:00.000Z" }])
      expect((await verified(deployment, JSON.stringify(head)))[0]?.problem).toContain("is not signed");
    await expect(deployment.runtime.inspection.verify("{}")).rejects.toMatchObject({
      name: "malformed_request",
    });
    await expect(deployment.runtime.inspection.verify("text")).rejects.toMatchObject({
      name: "malformed_request",
    });
  });

  test("are signed with a key next to the root key, which another process also uses", async () => {
    await using deployment = await deploy();
    const another = await deployment.another();
    await write(deployment, "A");
    const key = deployment.runtime.inspection.publicKey();

    expect(another.inspection.publicKey()).toBe(key);
    const file = join(deployment.folder, ".config/runtime/audit.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "nothing");
    const third = await deployment.another();
    expect(() => third.inspection.publicKey()).toThrow(/audit\.key/);
  });

  test("are signed with a key from a root key that is not in a file", async () => {
    const environment = { RUNTIME_ROOT_KEY: Buffer.alloc(32, 7).toString("base64") };
    await using one = await deploy({ environment });
    await using other = await deploy({ environment });

    expect(one.runtime.inspection.publicKey()).toBe(other.runtime.inspection.publicKey());
  });
});

describe("retention", () => {
  async function aged(environment: Record<string, string>): Promise<Deployment> {
    const deployment = await deploy({ environment });
    // The time by which rows are deleted is believed once it was seen.
    await deployment.runtime.auditKeeper.prune();
    await write(deployment, "A", "B");
    for (let day = 0; day < 4; day++) {
      deployment.clock.move(2 * DAY_MS);
      await deployment.runtime.auditKeeper.prune();
    }
    await write(deployment, "C");
    return deployment;
  }
  const targets = async ({ runtime }: Deployment) =>
    (await runtime.trail.audit(operator(), {})).items.map(({ target }) => target);

  test("keeps everything by default", async () => {
    await using deployment = await aged({});
    expect(await targets(deployment)).toEqual(["C", "B", "A"]);
  });

  test("removes the beginning, from which the verification goes on, also after new rows", async () => {
    await using deployment = await aged({ RUNTIME_AUDIT_KEEP_DAYS: "5" });
    const heads = JSON.stringify((await deployment.runtime.inspection.heads())[0]);
    await write(deployment, "D");

    expect(await targets(deployment)).toEqual(["D", "C"]);
    const { chains, problems } = await deployment.runtime.inspection.verify(heads);
    expect(problems).toEqual([]);
    expect(chains).toMatchObject([{ chain: "default", rows: 2, begins_after: 2, number: 4 }]);
  });

  test("can remove all rows of a chain, which goes on", async () => {
    await using deployment = await aged({ RUNTIME_AUDIT_KEEP_DAYS: "5" });
    for (let day = 0; day < 4; day++) {
      deployment.clock.move(2 * DAY_MS);
      await deployment.runtime.auditKeeper.prune();
    }
    expect(await targets(deployment)).toEqual([]);
    expect(await verified(deployment)).toEqual([]);
    await write(deployment, "E");
    expect(await verified(deployment)).toEqual([]);
  });

  test.each([
    ["a removed checkpoint", "DELETE FROM audit_checkpoints"],
    ["a checkpoint of a later row", "UPDATE audit_checkpoints SET number = number + 1"],
    ["a checkpoint at another time", "UPDATE audit_checkpoints SET created_at = created_at + 1"],
    ["a removed row after the checkpoint", "DELETE FROM audit WHERE number = 3"],
  ])("leaves a beginning that cannot be moved: %s", async (_, statement) => {
    await using deployment = await aged({ RUNTIME_AUDIT_KEEP_DAYS: "5" });
    await write(deployment, "D");
    await deployment.runtime.core.store.write(() => run(query(statement)));

    expect(await verified(deployment)).not.toEqual([]);
  });

  test("does not trust a clock that jumps ahead", async () => {
    await using deployment = await deploy({ environment: { RUNTIME_AUDIT_KEEP_DAYS: "5" } });
    await deployment.runtime.auditKeeper.prune();
    await write(deployment, "A");
    deployment.clock.jump(400 * DAY_MS);
    await deployment.runtime.auditKeeper.prune();

    expect(await targets(deployment)).toEqual(["A"]);
  });
});
