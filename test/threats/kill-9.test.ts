// A server is killed while it writes: what was answered is stored, the next start works, and the files are clean again.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { api, at } from "../support/api";
import { Installation } from "../support/runtime-process";
import { printFigure } from "./figure";

const KILLS = 5;
const WRITES_BEFORE_KILL = 40;

test("answered writes are stored after each kill, and the killed log does not stay", async () => {
  await using installation = new Installation(undefined);
  const admin = await installation.key("admin");
  const answered = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await installation.serve();
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    let count = 0;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let number = 0; ; number++) {
        const name = `K${kill}_${writer}_${number}`;
        const answer = await api(server.address, admin)
          .post(`/v1/admin/secrets/${name}`, { value: "x" })
          .catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 200) answered.add(name);
        if (++count === WRITES_BEFORE_KILL) resolve();
      }
    });
    await enough;
    await server.kill();
    await Promise.all(writers);
  }
  // A command that writes and ends copies the log into the database.
  await installation.json(["secrets", "set", "LAST", "-"], "x");
  const file = join(installation.home, ".local/share/runtime/runtime.db");
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  using database = new Database(file, { readonly: true });
  const integrity = database.query<{ quick_check: string }, []>("PRAGMA quick_check").get();
  expect(integrity?.quick_check).toBe("ok");

  await using server = await installation.serve();
  const list = await api(server.address, admin).get("/v1/admin/secrets");
  const stored = new Set(Object(at(list.body, "items")).map(({ key }: { key: string }) => key));
  const lost = [...answered].filter((name) => !stored.has(name));
  expect([answered.size >= KILLS * WRITES_BEFORE_KILL, lost]).toEqual([true, []]);
  printFigure("kill -9", `${KILLS} kills, ${answered.size} answered writes, 0 lost`);
}, 60_000);
