// What is given out without being stored: ids of clients that registered themselves, and challenges of passkeys. All processes
// of an installation agree on it, whatever is rotated, restarted or lost.
import { beforeEach, describe, expect, onTestFinished, test } from "bun:test";
import { createLog, type JsonObject, systemClock } from "../../src/base";
import { Challenges, type ChallengePurpose } from "../../src/people/passkeys/challenges";
import { createRuntime, type Runtime } from "../../src/runtime";
import { query, run } from "../../src/store";
import { at } from "../support/api";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { temporaryFolder } from "../support/temporary";

const CLIENT: JsonObject = { client_name: "Editor", redirect_uris: ["http://127.0.0.1:33418/callback"] };
const SIGN_IN: ChallengePurpose = { projectId: "default", browser: "b", purpose: "sign-in" };
const SECRETS = query<{ sealed_payload: string }>(
  "SELECT sealed_payload FROM oauth_items WHERE kind = 'InstallationSecret'",
);

let home: string;
let logLines: string[];
beforeEach(() => {
  home = temporaryFolder();
  logLines = [];
});

/** Another process of the installation. */
async function opened(): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home } });
  const log = createLog({ level: "info", clock: systemClock, write: (line) => logLines.push(line) });
  const runtime = await createRuntime(config, NO_EXTENSIONS, { log });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** The metadata of a client with its secret, which it got from `by`, as `read` answers them. */
async function registered(by: Runtime): Promise<object> {
  const answer = await by.authorizationServer.register(CLIENT);
  return { client_id: at(answer, "client_id"), client_secret: at(answer, "client_secret") };
}

const found = async (by: Runtime, client: object) =>
  (await by.authorizationServer.clients.find(String(at(client, "client_id")))) ?? "unknown";

const rotateRoot = async (by: Runtime) => by.rotation.rotateRoot(await by.identity.operator("default"));
const rotateDataKey = async (by: Runtime) => by.rotation.rotateDataKey(await by.identity.operator("default"));

describe("a rotation of the root key", () => {
  test("leaves clients that have registered before and after it known to old and new servers", async () => {
    const old = await opened();
    const before = await registered(old);
    await rotateRoot(await opened());
    const restarted = await opened();
    const clients = [before, await registered(old), await registered(restarted)];

    for (const server of [old, restarted])
      for (const client of clients) expect(await found(server, client)).toMatchObject(client);
  });

  test("leaves sign-ins with passkeys in progress valid, whichever server answers", async () => {
    const old = await opened();
    const before = await new Challenges(old.core).create(SIGN_IN);
    await rotateRoot(await opened());
    const restarted = await opened();
    const servers = [new Challenges(old.core), new Challenges(restarted.core)];
    const challenges = [before, ...(await Promise.all(servers.map((server) => server.create(SIGN_IN))))];

    for (const server of servers)
      for (const challenge of challenges) expect(await server.check(challenge, SIGN_IN)).toBeNumber();
  });
});

test("a rotation of the data key changes nothing that was given out, and seals the secret again", async () => {
  const runtime = await opened();
  const client = await registered(runtime);
  const [sealed] = await runtime.core.store.all(SECRETS);
  await rotateDataKey(runtime);

  expect((await runtime.core.store.all(SECRETS))[0]).not.toEqual(sealed);
  for (const server of [runtime, await opened()]) expect(await found(server, client)).toMatchObject(client);
});

test("servers that need the secret first at the same time make one", async () => {
  const servers = await Promise.all([opened(), opened(), opened()]);
  const clients = await Promise.all(servers.map(registered));

  expect(await servers[0]?.core.store.all(SECRETS)).toHaveLength(1);
  for (const server of servers)
    for (const client of clients) expect(await found(server, client)).toMatchObject(client);
});

describe("what an earlier version has derived from the root key", () => {
  /** As the version before the secret did it. */
  async function formerly({ core }: Runtime): Promise<object> {
    const code = async (purpose: string, text: Uint8Array) =>
      new Bun.CryptoHasher(
        "sha256",
        await core.keyring.derived(`${purpose} of a client that registers itself`),
      )
        .update(text)
        .digest();
    const minutes = Math.floor(Date.now() / 60_000);
    const body = Buffer.concat([
      core.random(8),
      Buffer.from(JSON.stringify([minutes, "Editor", 1, 1, "http://127.0.0.1:33418/callback"])),
    ]);
    const start = (await code("id", body)).subarray(0, 16);
    const client_id = `dcr_${Buffer.concat([start, body]).toString("base64url")}`;
    return { client_id, client_secret: (await code("secret", Buffer.from(client_id))).toString("base64url") };
  }

  test("counts at every server, until the root key is rotated", async () => {
    const runtime = await opened();
    const client = await formerly(runtime);
    const servers = [runtime, await opened()];
    for (const server of servers) expect(await found(server, client)).toMatchObject(client);

    await rotateRoot(await opened());
    for (const server of [...servers, await opened()]) expect(await found(server, client)).toBe("unknown");
  });
});

test("a secret that cannot be decrypted is replaced, once for all servers", async () => {
  const [one, other] = [await opened(), await opened()];
  const lost = await registered(one);
  await found(other, lost);
  await one.core.store.write(() =>
    run(query("UPDATE oauth_items SET sealed_payload = 'v1.dk_x.x' WHERE kind = 'InstallationSecret'")),
  );
  await rotateDataKey(one);
  const client = await registered(one);

  for (const server of [one, other, await opened()]) {
    expect(await found(server, client)).toMatchObject(client);
    expect(await found(server, lost)).toBe("unknown");
  }
  expect(logLines.join("\n")).toContain("the secret of the installation cannot be decrypted");
});
