// Passkeys in the executable, whose build leaves out what is not imported and shortens names: from an invitation at the terminal
// to a sign-in, with the library that checks signatures.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Person } from "../people/stage";
import { at } from "../support/api";
import { Installation } from "../support/runtime-process";
import { buildExecutable } from "./support/built";

const folder = mkdtempSync(join(tmpdir(), "runtime-passkeys-"));
let executable = "";
beforeAll(() => {
  executable = buildExecutable(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

test("an invited person sets a passkey, signs in with it, and is out when removed", async () => {
  await using installation = new Installation(undefined, [executable]);
  installation.environment["RUNTIME_SIGN_IN"] = "passkey";
  await using server = await installation.serve();
  const invited = await installation.json(["users", "invite", "alice", "--role", "auditor"]);
  const link = String(at(invited, "link"));
  const { origin } = new URL(link);
  expect([at(invited, "kind"), origin]).toEqual([
    "passkey",
    server.address.replace("127.0.0.1", "localhost"),
  ]);
  const alice = new Person({ url: server.address }, origin);

  expect((await alice.accept(link, { origin: "https://evil.example" })).status).toBe(403);
  expect(await alice.accept(link)).toMatchObject({ status: 200, body: { to: "/me" } });
  expect((await new Person({ url: server.address }, origin).accept(link)).status).toBe(404);
  expect((await alice.signIn("default", { unverified: true })).status).toBe(403);
  expect((await alice.signIn()).status).toBe(200);
  expect(await installation.json(["users", "show", "alice"])).toMatchObject({
    role: "auditor",
    passkeys: 1,
    sessions: 1,
  });
  const removed = await installation.run(["users", "remove", "alice", "--yes"]);
  expect([removed.code, removed.stderr.includes("runtime users erase alice")]).toEqual([0, true]);
  expect((await alice.signIn()).status).toBe(403);
}, 60_000);
