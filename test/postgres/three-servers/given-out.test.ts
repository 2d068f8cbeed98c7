// What servers give out without storing it, around a rotation of the root key by a command and a rolling restart: ids of clients
// that registered themselves, and challenges of passkeys. Every server takes what any of them has given out.
import { afterAll, beforeAll, expect } from "bun:test";
import { extensions } from "../../../catalogs";
import { startServer } from "../../../server";
import { silentLog } from "../../../src/base";
import { createRuntime } from "../../../src/runtime";
import { Person } from "../../people/stage";
import { at } from "../../support/api";
import { loadConfig } from "../../support/config";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";
import { startThreeServers, type ThreeServers } from "./servers";

const CALLBACK = "http://127.0.0.1:33418/callback";

let three: ThreeServers;
beforeAll(async () => {
  if (!hasPostgres) return;
  three = await startThreeServers({ environment: { RUNTIME_SIGN_IN: "passkey" } });
  const gateway = { name: "Bench", slug: "bench", auth_type: "arcade" as const };
  await three.at(0).runtime.gateways.create(three.operator, {
    ...gateway,
    tool_filter: { allowed_tools: ["Chat.SendMessage"] },
  });
}, 60_000);
afterAll(async () => three?.[Symbol.asyncDispose]());

/** Another process on the database: the command, or a server that was started again. */
function opened(name: string) {
  const environment = {
    ...three.environment,
    RUNTIME_DATA_DIR: `${three.environment["HOME"]}/${name}`,
    RUNTIME_PUBLIC_URL: three.at(0).address,
  };
  return createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
}

/** The id of a client that registers itself at a server. */
async function registered(address: string): Promise<string> {
  const response = await fetch(`${address}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Editor", redirect_uris: [CALLBACK] }),
  });
  return String(at(await response.json(), "client_id"));
}

/** The status with which a server answers a client that asks for a person: 303 to a known one. */
async function authorized(address: string, client: string): Promise<number> {
  const asked = new URLSearchParams({
    client_id: client,
    response_type: "code",
    redirect_uri: CALLBACK,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    scope: "mcp",
    state: "x",
    resource: `${three.at(0).runtime.core.publicUrl()}/mcp/bench`,
  });
  return (await fetch(`${address}/oauth/authorize?${asked}`, { redirect: "manual" })).status;
}

testOnPostgres(
  "every server takes the clients and the passkeys' challenges of all, after a rotation of the root key",
  async () => {
    const { runtime } = three.at(0);
    const origin = new URL(runtime.core.publicUrl()).origin;
    const person = new Person({ url: three.at(0).address }, origin);
    const { link } = await runtime.invitations.invite(three.operator, { user_id: "alice" });
    await person.accept(link ?? "");
    const before = await registered(three.at(1).address);

    const command = await opened("command");
    await command.rotation.rotateRoot(three.operator);
    await command.close();
    const restarted = await opened("data-2");
    const server = await startServer(restarted);
    try {
      const addresses = [three.at(0).address, three.at(1).address, server.address];
      const clients = [before, ...(await Promise.all(addresses.map(registered)))];
      const statuses = await Promise.all(
        addresses.flatMap((address) => clients.map((client) => authorized(address, client))),
      );
      expect(statuses).toEqual(statuses.map(() => 303));

      for (const address of addresses) {
        const asked = await person.signInOptions();
        const verified = await person.browser.open(`${address}/sign-in/passkey/verify`, {
          method: "POST",
          headers: { "content-type": "application/json", origin },
          body: JSON.stringify({ project: "default", answer: person.passkey.get(asked, origin) }),
        });
        expect(verified.status).toBe(200);
      }
    } finally {
      await server.stop();
      await restarted.close();
    }
  },
  60_000,
);
