// Backups of a server that many clients write to.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { Installation } from "../support/runtime-process";

/** Secrets that a client has written, in order; each name once. */
async function writeUntil(
  address: string,
  key: string,
  client: number,
  stop: { now: boolean },
): Promise<string[]> {
  const written: string[] = [];
  for (let index = 0; !stop.now; index++) {
    const name = `S_${client}_${index}`;
    const response = await fetch(`${address}/v1/admin/secrets/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ value: `value of ${name}` }),
    });
    await response.text();
    if (response.ok) written.push(name);
    await Bun.sleep(1);
  }
  return written;
}

/**
 * Makes so many backups while clients write, checks and restores each, and looks for every write that was acknowledged before
 * the backup began.
 */
export async function backUpUnderLoad(backups: number): Promise<void> {
  await using installation = new Installation(undefined);
  const key = await installation.key("admin");
  await using server = await installation.serve();
  const stop = { now: false };
  const acknowledged: string[] = [];
  const clients = [0, 1, 2].map(async (client) => {
    while (!stop.now) {
      const some = { now: false };
      setTimeout(() => (some.now = true), 20);
      acknowledged.push(
        ...(await writeUntil(server.address, key, client * 1_000_000 + acknowledged.length, some)),
      );
    }
  });
  try {
    while (acknowledged.length === 0) await Bun.sleep(5);
    for (let index = 0; index < backups; index++) {
      const before = [...acknowledged];
      const file = join(installation.home, `${index}.backup`);
      const folder = join(installation.home, `restored-${index}`);
      const run = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await installation.run(args);
        if (code !== 0) throw new Error(`runtime ${args.join(" ")}: ${code} ${stderr}`);
        return stdout;
      };
      await run("backup", "create", file);
      await run("backup", "verify", file);
      await run("backup", "restore", file, "--data-dir", folder);
      using database = new Database(join(folder, "runtime.db"), { readonly: true });
      const rows = database.query<{ key: string }, []>("SELECT key FROM secrets").all();
      const names = new Set(rows.map((row) => row.key));
      expect(before.filter((name) => !names.has(name))).toEqual([]);
    }
  } finally {
    stop.now = true;
    await Promise.all(clients);
  }
  expect(acknowledged.length).toBeGreaterThan(backups);
}
