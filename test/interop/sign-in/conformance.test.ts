// The scenarios of the conformance suite for authorization servers; a person with a browser signs in where it asks for one.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port";
import { registration } from "../../people/authorization-server/site";
import { at } from "../../support/api";
import { peer, testWithPeers } from "../mcp/peers";
import { verdictsIn } from "../mcp/suite";
import { Chromium, type Person } from "./chromium";
import { type SignInSite, signInWays } from "./methods";

// The second needs what the first has read.
const SCENARIOS = ["authorization-code-grant", "authorization-server-metadata-endpoint"].map(
  (scenario) => `authorization-server-${scenario}`,
);

let chromium: Chromium;
let made: SignInSite;
let alice: Person;
beforeAll(async () => {
  chromium = await Chromium.start();
  const passkeys = signInWays.find(({ name }) => name === "passkey");
  if (passkeys === undefined) throw new Error("no way with passkeys");
  made = await passkeys.start();
  alice = await made.person(chromium, "alice");
}, 60_000);
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await made[Symbol.asyncDispose]();
});

testWithPeers()(
  "the authorization server passes all scenarios",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "oauth-conformance-"));
    const port = freePort();
    const redirect = `http://127.0.0.1:${port}/callback`;
    const registered = await registration(made.issuer, {
      redirect_uris: [redirect],
      application_type: "native",
    });
    const clientId = String(at(await registered.json(), "client_id"));
    const command = [
      process.execPath,
      peer("conformance-2026", "dist", "index.js"),
      "authorization",
      "--url",
      made.issuer,
      "--client-id",
      clientId,
      "--resource",
      made.address,
      "--port",
      String(port),
      "--output-dir",
      folder,
    ];
    try {
      const child = Bun.spawn(command, {
        env: { PATH: process.env["PATH"] ?? "", HOME: folder },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: 60_000,
      });
      let printed = "";
      let opened: Promise<unknown> | undefined;
      const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
        const decoder = new TextDecoder();
        for await (const bytes of stream) {
          printed += decoder.decode(bytes, { stream: true });
          const [url] = /http:\/\/localhost:\d+\/oauth\/authorize\?[^\s"']+/.exec(printed) ?? [];
          if (url !== undefined) opened ??= alice.allow(url, redirect);
        }
      };
      await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
      await opened;
      const { scenarios, failures } = verdictsIn(folder);
      expect({ scenarios, failures }, printed).toEqual({ scenarios: SCENARIOS, failures: [] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
