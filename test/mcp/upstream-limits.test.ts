// Prompts, resources and completions count as calls of the project, and end with their credential.
import { expect, test } from "bun:test";
import { operator } from "../tools/deployment";
import { client, startMcpSite } from "./site";
import { upstream } from "./upstream-catalog";

const REQUESTS = [
  ["prompts/get", { name: "Kit_p" }],
  ["resources/read", { uri: "demo://r" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "Kit_p" }, argument: { name: "a", value: "" } }],
] as const;

/** A server that answers nothing until `release` is called. */
async function hanging() {
  const server = upstream("Kit", {
    prompts: [{ name: "p" }],
    resources: [{ uri: "demo://r", name: "r" }],
    completes: true,
  });
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  server.answer = async (_method, _params, { signal }) => {
    asked.resolve();
    await Promise.race([
      released.promise,
      new Promise((resolve) => signal.addEventListener("abort", resolve)),
    ]);
    return { messages: [], contents: [], completion: { values: [] } };
  };
  const site = await startMcpSite({
    catalogs: [server.catalog],
    environment: { RUNTIME_LIMITS_CALLS_PER_PROJECT: "1" },
  });
  const url = await site.gateway("kit");
  return { site, url, asked: asked.promise, release: released.resolve };
}

test.each(REQUESTS)("%s counts as a call of the project", async (method, params) => {
  const { site, url, asked, release } = await hanging();
  await using _site = site;
  const user = client(url, { key: await site.key(), user: "alice" });

  const first = user.legacy(method, params);
  await asked;
  const second = await user.legacy(method, params);
  release();

  expect([second.status, (await first).status]).toEqual([429, 200]);
});

test.each(REQUESTS)("%s ends when its key is revoked", async (method, params) => {
  const { site, url, asked } = await hanging();
  await using _site = site;
  const { identity } = site.deployment.runtime;
  const { id, key } = await identity.createKey(operator(), { name: "short", role: "run" });

  const running = client(url, { key: key ?? "", user: "alice" }).legacy(method, params);
  await asked;
  await identity.deleteKey(operator(), id);

  expect((await running).status).toBe(401);
});
