// Programs of a client's file start in the cage with their sealed secrets; one that does not start leaves nothing.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cageSupport } from "../../../src/processes";
import { at } from "../../support/api";
import { testIfAllowed } from "../../support/require";
import { Installation } from "../../support/runtime-process";

const SECRET = "hunter2-CANARY";
const SERVER = join(import.meta.dir, "../../workers/stdio/server.ts");
const TEST_MS = 120_000;

const test = testIfAllowed("the cage for programs (Landlock)", cageSupport().supported);

test(
  "a program gets its secrets from the seal, and one that ends at once is not imported",
  async () => {
    await using place = new Installation(undefined);
    const file = join(place.home, ".mcp.json");
    const mcpServers = {
      notes: { command: process.execPath, args: [SERVER, "--key", SECRET], env: { NOTES_TOKEN: SECRET } },
      ends: { command: "false" },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));

    const done = await place.run(["workers", "import", file, "--yes", "-o", "json"]);

    const results = JSON.parse(done.stdout) as unknown;
    expect([done.code, at(results, "0.result"), at(results, "1.result")]).toEqual([
      1,
      "imported",
      "not imported",
    ]);
    expect(done.stderr).toMatch(/^ends: /m);
    expect(at(await place.json(["workers", "list"]), "1")).toBeUndefined();
    const ran = await place.json(["tools", "exec", "Notes.facts", "--user", "alice"]);
    expect(at(ran, "output.value.env.NOTES_TOKEN")).toBe(SECRET);
    expect(at(ran, "output.value.argv")).toEqual(["--key", SECRET]);
    expect(done.stdout + done.stderr).not.toContain("CANARY");
  },
  TEST_MS,
);
