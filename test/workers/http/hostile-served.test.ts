// Hostile HTTP workers behind a whole deployment: their records name what is wrong, and the other workers go on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api } from "../../support/api";
import { found } from "../../support/canaries";
import { type Site, startSite } from "../../support/site";
import { give, idpRecord } from "../../tools/deployment";
import { SECRET } from "./driver";
import { answered, type Arrived, definition, rawStandIn, standIn } from "./stand-in";

let site: Site;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;

beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
});

afterAll(() => site[Symbol.asyncDispose]());

const OAUTH2 = { provider_id: "idp", provider_type: "oauth2", oauth2: { scopes: ["read"] } };

/** Lists one tool and answers calls as the test says. */
function worker(
  toolkit: string,
  answer: (arrived: Arrived) => Response | Promise<Response>,
  fields: object = {},
) {
  const tool = definition({ toolkit: { name: toolkit, version: "1.0.0" }, ...fields });
  return standIn((arrived) => (arrived.path.endsWith("/invoke") ? answer(arrived) : Response.json([tool])));
}

async function create(id: string, uri: string) {
  const http = { uri, secret: SECRET, timeout: 1, retry: 0 };
  const { status, body } = await admin.post("/v1/workers", { id, http });
  expect(status).toBe(201);
  return body;
}

const run = (tool: string, user_id = "alice") =>
  agent.post("/v1/tools/execute", { tool_name: tool, user_id });

describe("the record of a worker that", () => {
  test.each([
    ["never answers", () => standIn(() => new Promise<Response>(() => undefined)), "did not answer"],
    ["redirects", () => standIn(() => Response.redirect("http://169.254.169.254/", 307)), "redirect"],
    ["sends too much", () => standIn(() => new Response(" ".repeat(11 * 1024 * 1024))), "10485760 bytes"],
    ["sends text", () => standIn(() => new Response("hello")), "JSON list"],
    ["refuses the secret", () => standIn(() => new Response("", { status: 401 })), "not the secret"],
    ["closes in the middle", () => rawStandIn("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n["), "closed"],
  ])("%s says so, and other workers are created and run", async (name, start, problem) => {
    const id = name.replaceAll(" ", "-");
    const good = worker(`Next${Bun.hash(id).toString(36)}`, (arrived) =>
      answered(arrived, { value: "good" }),
    );

    const [record] = await Promise.all([create(id, start().uri), create(`next-${id}`, good.uri)]);
    const { body } = await run(`Next${Bun.hash(id).toString(36)}.Act`);

    expect(record).toMatchObject({
      catalog: { error: expect.stringContaining(problem), tools: 0 },
      requirements: { met: true },
    });
    expect(body).toMatchObject({ output: { value: "good" } });
  });
});

test("a call to a worker that never answers keeps no other call from its worker", async () => {
  const arrived = Promise.withResolvers<void>();
  const silent = worker("Silent", () => {
    arrived.resolve();
    return new Promise<Response>(() => undefined);
  });
  const quick = worker("Quick", (one) => answered(one, { value: "quick" }));
  await create("silent", silent.uri);
  await create("quick", quick.uri);
  const ended: string[] = [];

  const waiting = run("Silent.Act").then((answer) => {
    ended.push("silent");
    return answer;
  });
  await arrived.promise;
  const calls = await Promise.all(Array.from({ length: 20 }, () => run("Quick.Act")));
  ended.push("quick");
  const { body } = await waiting;

  expect(calls.map((answer) => answer.body)).toEqual(
    calls.map(() => expect.objectContaining({ success: true })),
  );
  expect(ended).toEqual(["quick", "silent"]);
  expect(body).toMatchObject({
    success: false,
    output: { error: { kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", extra: { outcome: "unknown" } } },
  });
});

test("a worker that sends back all it has got tells no token and no secret, in no log line", async () => {
  await admin.post("/v1/admin/auth_providers", idpRecord({ url: "http://127.0.0.1:1" }));
  await admin.post("/v1/admin/secrets/API_KEY", { value: "value-of-the-key" });
  await give(site.runtime, "alice", { access: "token-of-alice", scopes: ["read"] });
  const requirements = { authorization: OAUTH2, secrets: [{ key: "API_KEY" }], metadata: null };
  const echo = worker(
    "Echo",
    ({ body, authorization, ...rest }) => {
      const all = `${body} ${authorization}`;
      const log = { level: "error", message: all };
      const error = { message: all, developer_message: all, extra: { all } };
      return answered({ body, authorization, ...rest }, { value: all, logs: [log], error });
    },
    { requirements },
  );
  await create("echo", echo.uri);

  const answer = await run("Echo.Act");
  const trail = await admin.get("/v1/admin/executions");
  expect(trail.status).toBe(200);

  expect(answer.text).toContain("[redacted]");
  const told = [answer.text, trail.text, ...site.logLines].join("\n");
  expect(found({ token: "token-of-alice", secret: SECRET, value: "value-of-the-key" }, told)).toEqual([]);
});
