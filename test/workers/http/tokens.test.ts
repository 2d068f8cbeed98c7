// Where tokens and secrets go, and where they never do.
import { describe, expect, test } from "bun:test";
import { Redacted } from "../../../src/base";
import { GrantDead } from "../../../src/tools";
import { WorkerFailure } from "../../../src/workers/tool";
import { found } from "../../support/canaries";
import { drive, SECRET, toolOf, workerAt } from "./driver";
import { answered, definition, standIn } from "./stand-in";

const AUTHORIZED = toolOf({ authorization: { provider: "known", scopes: ["read"] } });

const echoes = () => standIn((arrived) => answered(arrived, { value: "done" }));

function contextIn(body: string): object {
  return (JSON.parse(body) as { context: object }).context;
}

describe("the user's token", () => {
  test("goes with a tool that declares an authorization", async () => {
    const { uri, arrived } = echoes();
    await drive().call(workerAt(uri), AUTHORIZED, { token: "token-of-alice", facts: { id: 1 } });
    expect(contextIn(arrived[0]?.body ?? "")).toMatchObject({
      authorization: { token: "token-of-alice", user_info: { id: 1 } },
    });
  });

  test("does not go with one that declares none", async () => {
    const { uri, arrived } = echoes();
    await drive().call(workerAt(uri), toolOf(), { token: "token-of-alice", facts: { id: 1 } });
    expect(contextIn(arrived[0]?.body ?? "")).toEqual({ user_id: "alice" });
  });

  test("is never in the Authorization header, which authenticates this server", async () => {
    const { uri, arrived } = echoes();
    await drive().call(workerAt(uri), AUTHORIZED, { token: "token-of-alice" });
    expect(arrived[0]?.authorization).toMatch(/^Bearer eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test("does not go to a worker that must not receive it: the call is refused", async () => {
    const { uri, arrived } = echoes();
    const worker = workerAt(uri, { sendTokens: false });
    const { error } = await drive().call(worker, AUTHORIZED, { token: "token-of-alice" });
    expect(error?.message).toContain("send_tokens");
    expect(arrived).toEqual([]);
  });

  test("and such a worker's tools with an authorization are not offered", async () => {
    const authorization = {
      provider_id: "known",
      provider_type: "oauth2",
      id: null,
      oauth2: { scopes: ["read"] },
    };
    const tools = [definition(), definition({ name: "Needs", requirements: { authorization } })];
    const { uri } = standIn(() => Response.json(tools));

    const refused = await drive().kind.read(workerAt(uri, { sendTokens: false }), {});
    const allowed = await drive().kind.read(workerAt(uri), {});

    expect(refused.tools.map(({ name }) => name)).toEqual(["Act"]);
    expect(refused.skipped).toEqual([
      { name: "Peer.Needs", reason: expect.stringContaining("must not receive tokens") },
    ]);
    expect(allowed.tools.map(({ name }) => name)).toEqual(["Act", "Needs"]);
  });
});

test("only declared secrets go, under the names that the tool declares", async () => {
  const { uri, arrived } = echoes();
  await drive().call(workerAt(uri), toolOf({ secrets: ["API_KEY"] }), {
    secrets: { API_KEY: "one", OTHER: "two" },
  });
  expect(contextIn(arrived[0]?.body ?? "")).toEqual({
    secrets: [{ key: "API_KEY", value: "one" }],
    user_id: "alice",
  });
});

test("each request has a token of its own, signed for the worker, for a minute", async () => {
  const { uri, arrived } = echoes();
  const driver = drive();
  for (let call = 0; call < 3; call++) await driver.call(workerAt(uri), toolOf());
  const claims = arrived.map(
    ({ authorization }) =>
      JSON.parse(Buffer.from(authorization?.split(".")[1] ?? "", "base64url").toString()) as {
        [claim: string]: unknown;
      },
  );

  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(3);
  for (const { aud, ver, iat, exp } of claims) {
    expect([aud, ver]).toEqual(["worker", "1"]);
    expect(Number(exp) - Number(iat)).toBe(65);
  }
});

describe("a worker that sends back everything it has got", () => {
  test.each([
    [
      "in an error",
      (all: string) => ({ error: { message: all, developer_message: all, extra: { [all]: [all] } } }),
    ],
    ["in its log", (all: string) => ({ value: "done", logs: [{ level: "info", message: all }] })],
    [
      "in an error of another kind",
      (all: string) => ({ error: { kind: all, message: "x", additional_prompt_content: all } }),
    ],
  ])("%s: none of it is told", async (_, output) => {
    const { uri } = standIn((arrived) =>
      answered(arrived, output(arrived.body + String(arrived.authorization))),
    );
    const driver = drive();
    const tool = toolOf({ ...AUTHORIZED, secrets: ["API_KEY"] });

    const called = await driver.call(workerAt(uri), tool, {
      token: 'token-of-"alice"',
      secrets: { API_KEY: "value-of-the-key" },
    });

    const { error, logs, value } = called;
    const told = JSON.stringify({
      logs,
      value,
      message: error?.message,
      details: error?.details,
      lines: driver.lines,
    });
    expect(found({ token: 'token-of-"alice"', key: "value-of-the-key", secret: SECRET }, told)).toEqual([]);
    expect(told).toContain("[redacted]");
    expect(told).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });

  test("in its value: no token is told", async () => {
    const { uri } = standIn((arrived) => answered(arrived, { value: { echo: arrived.body } }));
    const { value } = await drive().call(workerAt(uri), AUTHORIZED, { token: "token-of-alice" });
    expect(JSON.stringify(value)).toContain("[redacted]");
    expect(JSON.stringify(value)).not.toContain("token-of-alice");
  });

  test("values that happen to contain a secret are not changed", async () => {
    const { uri } = standIn((arrived) => answered(arrived, { value: "in development" }));
    const worker = workerAt(uri, { secret: async () => new Redacted("development") });
    expect((await drive().call(worker, toolOf())).value).toBe("in development");
  });

  test.each([401, 403, 404, 500])("with status %d: none of it is told", async (status) => {
    const { uri } = standIn(({ body, authorization }) =>
      Response.json({ detail: body + authorization }, { status }),
    );
    const driver = drive();
    const { error } = await driver.call(workerAt(uri), AUTHORIZED, { token: "token-of-alice" });
    const failed: unknown = await driver.kind.read(workerAt(uri), {}).catch((thrown: unknown) => thrown);
    const told = `${error?.message} ${JSON.stringify(error?.details)} ${String(failed)} ${driver.lines.join()}`;
    expect(found({ token: "token-of-alice", secret: SECRET }, told)).toEqual([]);
    expect(told).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });
});

test("a worker that refuses this server's own token does not end the grant: it is not a refusal of the user's token", async () => {
  const { uri } = standIn(() =>
    Response.json({ detail: "Invalid token. Error: Signature verification failed" }, { status: 401 }),
  );
  const { error, renewals } = await drive().call(workerAt(uri), AUTHORIZED, {
    token: "token-of-alice",
    newerToken: "newer",
  });
  expect(error).not.toBeInstanceOf(GrantDead);
  expect([error?.kind, renewals]).toEqual(["TOOL_RUNTIME_FATAL", 0]);
});

test("a worker without its secret is not called, and the operator learns why", async () => {
  const { uri, arrived } = echoes();
  const worker = workerAt(uri, {
    secret: () => Promise.reject(new WorkerFailure("refused", "It has no secret. Set it again.")),
  });
  const { error } = await drive().call(worker, toolOf());
  expect(error?.message).toContain("It has no secret");
  expect(arrived).toEqual([]);
});
