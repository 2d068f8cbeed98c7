// A guard that fails open: every way in which a mandatory hook can fail, at each of its points, through each protocol, and
// the loss of what the guards need (credentials of plugins, the hooks themselves).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execute, type Hooked, hooked, type Point } from "../hooks/hooked";
import { FAULTS } from "../hooks/webhook-peer";
import { client } from "../mcp/site";
import { damageSealed } from "../support/damage";
import { operator } from "../tools/deployment";
import { printFigure } from "./figure";

const CREDENTIALS = { table: "plugins", sealed: "sealed_credentials", key: "id", kind: "hooks" } as const;

let stage: Hooked;
let gateway: string;
let key: string;
beforeAll(async () => {
  stage = await hooked();
  const { runtime } = stage.deployment;
  await runtime.gateways.create(operator(), { name: "all", slug: "all", auth_type: "arcade_header" });
  gateway = `${stage.url}/mcp/all`;
  key = (await runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
});
afterAll(() => stage[Symbol.asyncDispose]());

let priority = 0;
let tried = 0;
afterAll(() =>
  printFigure(
    "a guard that fails open",
    `${tried} calls past broken guards: 0 reach the platform or the caller`,
  ),
);

/** In the answers of successful calls, in each protocol. */
const SUCCESS = /"success":true|"structuredContent":/;

const byMcp = (family: "legacy" | "modern") =>
  client(gateway, { key, user: "alice" })[family]("tools/call", { name: "Test_Call", arguments: {} });

/** Runs the tool in each protocol; the texts of the answers. */
async function callAll(): Promise<string[]> {
  const rest = await execute(stage);
  const mcp = [await byMcp("legacy"), await byMcp("modern")];
  tried += 3;
  return [rest.answer.text, ...mcp.map(({ text }) => text)];
}

async function withHook(point: Point, work: (id: string) => Promise<void>, more: object = {}): Promise<void> {
  const { id } = await stage.plugin({
    points: [point],
    failure_mode: "fail_closed",
    timeout_ms: 200,
    priority: ++priority,
    ...more,
  });
  stage.platformCalls();
  await work(id);
  await stage.deployment.runtime.plugins.update(operator(), id, { status: "inactive" });
}

const VALID: Record<string, object> = { access: {}, pre: { code: "OK" }, post: { code: "OK" } };
const BROKEN: readonly [string, (typeof FAULTS)[string]][] = [
  ...Object.entries(FAULTS),
  ["nothing", (_asked, response) => void response.writeHead(200).end()],
  ["null", () => null],
  ["a list", () => []],
  ["an unknown code", () => ({ code: "MAYBE", only: 7 })],
  ["a denial in an access answer", () => ({ code: "CHECK_FAILED" })],
  ["a closed port", (_asked, _response, request) => void request.socket.resetAndDestroy()],
];

describe.each(["access", "pre"] as const)("a broken %s hook", (point) => {
  test.each(BROKEN)("(%s) stops every call", async (_what, fault) => {
    await withHook(point, async () => {
      stage.project.respond = (asked, ...rest) =>
        asked.path === point ? fault(asked, ...rest) : VALID[asked.path];
      for (const text of await callAll()) expect(text).not.toMatch(SUCCESS);

      expect(stage.platformCalls()).toBe(0);
    });
  });
});

describe("a broken post hook", () => {
  test.each(BROKEN.filter(([what]) => what !== "a denial in an access answer"))(
    "(%s) withholds every result",
    async (_what, fault) => {
      await withHook("post", async () => {
        stage.project.respond = (asked, ...rest) =>
          asked.path === "post" ? fault(asked, ...rest) : VALID[asked.path];
        for (const text of await callAll()) expect(text).not.toMatch(SUCCESS);
      });
    },
  );
});

describe("what a guard needs is gone:", () => {
  test("its credentials are damaged", async () => {
    const webhook = { auth: { type: "bearer", token: "t" } };
    await withHook(
      "pre",
      async (id) => {
        await damageSealed(stage.deployment.runtime.core.store, CREDENTIALS, id);
        stage.project.respond = () => ({ code: "OK" });
        await callAll();

        expect(stage.platformCalls()).toBe(0);
      },
      { webhook },
    );
  });

  test("its address may no longer be called", async () => {
    await withHook("pre", async (id) => {
      await stage.deployment.runtime.plugins.update(operator(), id, {
        webhook_config: { endpoints: { pre: { url: "https://169.254.169.254/pre" } } },
      });
      await callAll();

      expect(stage.platformCalls()).toBe(0);
    });
  });

  test("the plugin cannot be deleted while a hook uses it", async () => {
    await withHook("pre", async (id) => {
      const deleted = stage.deployment.runtime.plugins.delete(operator(), id);

      expect(await deleted.catch(({ status }: { status: number }) => status)).toBe(409);
    });
  });
});

test("without a broken hook, the tool is called, and its result is recognized", async () => {
  stage.platformCalls();
  for (const text of await callAll()) expect(text).toMatch(SUCCESS);

  expect(stage.platformCalls()).toBe(3);
});
