// A worker that says that the user must consent: what the user is asked, and that other tools keep their grant.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Stage, startStage } from "../../server/stage";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { SECRET } from "./driver";
import { answered, type Arrived, definition, standIn } from "./stand-in";

let stage: Stage;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;
let created = 0;
let user: string;

beforeAll(async () => {
  stage = await startStage();
  admin = api(stage.site.url, stage.keys.admin);
  agent = api(stage.site.url, stage.keys.run);
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  user = `user-${++created}`;
  await connect(stage, user, "alice");
});

const OAUTH2 = { provider_id: "slack", provider_type: "oauth2", oauth2: { scopes: ["users:read"] } };
const NEEDED = { requires_authorization: { status: "pending" } };
const REFUSED = { error: { message: "expired", kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 401 } };

/** A worker with a tool that uses the grant of the chat platform; its name. */
async function worker(
  answer: (arrived: Arrived) => object,
  fields: object = { requirements: { authorization: OAUTH2 } },
) {
  const toolkit = `Kit${++created}`;
  const tool = definition({ toolkit: { name: toolkit, version: "1.0.0" }, ...fields });
  const { uri } = standIn((one) =>
    one.path.endsWith("/invoke") ? answered(one, answer(one)) : Response.json([tool]),
  );
  const http = { uri, secret: SECRET, timeout: 5, retry: 0 };
  await admin.post("/v1/workers", { id: toolkit.toLowerCase(), http });
  return `${toolkit}.Act`;
}

const run = (tool_name: string) => agent.post("/v1/tools/execute", { tool_name, user_id: user });
const authorize = (tool_name: string) => agent.post("/v1/tools/authorize", { tool_name, user_id: user });
const urlOf = (body: unknown) => String(at(body, "output.authorization.url"));
const connection = async () => (await admin.get(`/v1/admin/user_connections?user_id=${user}`)).body;

describe.each([
  ["that an authorization is required", NEEDED],
  ["that the platform refuses the token", REFUSED],
])("a worker that says %s", (_, output) => {
  test("takes nothing from other tools", async () => {
    const tool = await worker(() => output);
    const before = at(await connection(), "items.0.scopes");

    const { body } = await run(tool);
    const other = await run("Chat.WhoAmI");

    expect(body).toMatchObject({
      success: false,
      output: { authorization: { status: "pending", url: expect.stringContaining("/authorize/") } },
    });
    expect(other.body).toMatchObject({ success: true });
    expect(await connection()).toMatchObject({ items: [{ connection_status: "active", scopes: before }] });
  });

  test("asks for one consent, which authorize returns too, and runs after it", async () => {
    let isContent = false;
    const tool = await worker(() => (isContent ? { value: "done" } : output));

    const first = await run(tool);
    const second = await run(tool);
    const asked = await authorize(tool);
    const other = await authorize("Chat.WhoAmI");

    const id = at(first.body, "output.authorization.id");
    expect(at(second.body, "output.authorization.id")).toBe(id);
    expect(asked.body).toMatchObject({ id, status: "pending" });
    expect(other.body).toMatchObject({ status: "completed" });
    await new Browser().consent(urlOf(first.body), "alice");
    isContent = true;
    expect((await authorize(tool)).body).toMatchObject({ status: "completed" });
    expect((await run(tool)).body).toMatchObject({ success: true });
  });

  test("fails clearly if it asks again after the consent, and may ask again an hour later", async () => {
    const tool = await worker(() => output);
    await new Browser().consent(urlOf((await run(tool)).body), "alice");

    const { body, text } = await run(tool);

    expect(body).toMatchObject({
      success: false,
      output: {
        error: { kind: "TOOL_RUNTIME_FATAL", message: expect.stringContaining("has just given it") },
      },
    });
    expect(at(body, "output.authorization")).toBeUndefined();
    expect(text).not.toContain("authorization required");
    stage.clock.move(3_600_001);
    expect((await run(tool)).body).toMatchObject({ output: { authorization: { status: "pending" } } });
  });

  test("asks again if the person did not consent", async () => {
    const tool = await worker(() => output);
    const first = await run(tool);
    const browser = new Browser();
    await browser.open(await browser.toCallback(urlOf(first.body), "cancel"));

    const asked = await authorize(tool);

    expect(asked.body).toMatchObject({ status: "pending" });
    expect(at(asked.body, "id")).not.toBe(at(first.body, "output.authorization.id"));
  });
});

test("a consent that one worker has asked for is not that of another worker", async () => {
  const [one, other] = [await worker(() => NEEDED), await worker(() => NEEDED)];
  await new Browser().consent(urlOf((await run(one)).body), "alice");

  expect((await run(other)).body).toMatchObject({ output: { authorization: { status: "pending" } } });
});
