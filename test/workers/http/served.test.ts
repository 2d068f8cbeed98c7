// What clients of the server get of HTTP workers: their catalogs, requirements, results and notices.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { SECRET } from "./driver";
import { answered, type Arrived, definition, standIn } from "./stand-in";

let site: Site;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;

beforeAll(async () => {
  site = await startSite();
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
});

afterAll(() => site[Symbol.asyncDispose]());

/** Creates a worker whose tools are these. */
async function create(
  id: string,
  tools: readonly object[],
  answer: (arrived: Arrived) => Response = (one) => answered(one, { value: "done" }),
) {
  const { uri, arrived } = standIn((one) =>
    one.path.endsWith("/invoke") ? answer(one) : Response.json(tools),
  );
  const http = { uri, secret: SECRET, timeout: 5, retry: 0 };
  const { status, body } = await admin.post("/v1/workers", { id, http });
  expect(status).toBe(201);
  const calls = () => arrived.filter(({ path }) => path.endsWith("/invoke"));
  return { record: body, calls };
}

const run = (tool_name: string, fields: object = {}) =>
  agent.post("/v1/tools/execute", { tool_name, user_id: "alice", ...fields });

test("a secret that a tool names by key_id goes with its calls", async () => {
  const toolkit = { name: "Keyed", version: "1.0.0" };
  const named = definition({ toolkit, requirements: { secrets: [{ key_id: "KEYED_SECRET" }] } });
  const { calls } = await create("keyed", [named]);

  const before = await run("Keyed.Act");
  await admin.post("/v1/admin/secrets/KEYED_SECRET", { value: "value-of-the-secret" });
  const after = await run("Keyed.Act");

  expect(before.body).toMatchObject({ name: "tool_requirements_not_met" });
  expect(after.body).toMatchObject({ success: true });
  expect(calls().map(({ body }) => JSON.parse(body))).toMatchObject([
    { context: { secrets: [{ key: "KEYED_SECRET", value: "value-of-the-secret" }] } },
  ]);
});

test("a tool whose secret has no name is not offered, and the record of its worker says why", async () => {
  const toolkit = { name: "Nameless", version: "1.0.0" };
  const nameless = definition({ toolkit, requirements: { secrets: [{ id: "SECRET" }] } });
  const { record, calls } = await create("nameless", [nameless]);

  const { body } = await run("Nameless.Act");

  expect(record).toMatchObject({
    catalog: { tools: 0 },
    skipped: [{ name: "Nameless.Act", reason: expect.stringContaining("key_id") }],
  });
  expect(body).toMatchObject({ name: "tool_not_found" });
  expect(calls()).toEqual([]);
});

test("an artifact is the value of the run, and the declared modes are listed", async () => {
  const artifact = { url: "https://files.example/a", content_type: "text/csv", size: 3, meta: null };
  const toolkit = { name: "Files", version: "1.0.0" };
  const output = { available_modes: ["value", "error", "artifact"], value_schema: { val_type: "string" } };
  await create("files", [definition({ toolkit, output })], (one) => answered(one, { value: "", artifact }));

  const listed = await agent.get("/v1/tools/Files.Act");
  const { body } = await run("Files.Act");

  expect(listed.body).toMatchObject({
    output: { available_modes: ["value", "error", "artifact"], value_schema: { val_type: "json" } },
  });
  const { meta: _, ...value } = artifact;
  expect(body).toMatchObject({ success: true, output: { value } });
});

test("an artifact without an address is a failure whose outcome is unknown", async () => {
  const toolkit = { name: "Lost", version: "1.0.0" };
  await create("lost", [definition({ toolkit })], (one) => answered(one, { artifact: { size: 3 } }));

  const { body } = await run("Lost.Act");

  expect(body).toMatchObject({
    success: false,
    output: { error: { message: expect.stringContaining("artifact"), extra: { outcome: "unknown" } } },
  });
});

const LONG = `L${"o".repeat(99)}`;

test("a tool with the longest names is listed, checked, run and offered to models by each of them", async () => {
  const toolkit = { name: LONG, version: `1.0.0-${"v".repeat(94)}` };
  await create("long", [definition({ name: "N".repeat(128), toolkit })]);
  const listed = (await admin.get("/v1/workers/long/tools")).body;
  const qualified = String(at(listed, "items.0.qualified_name"));
  const full = String(at(listed, "items.0.fully_qualified_name"));
  const formatted = await agent.get(`/v1/formatted_tools/${qualified}`);
  const name = String(at(formatted.body, "function.name"));

  expect([qualified.length, full.length, name.length]).toEqual([229, 330, 64]);
  expect((await run(qualified)).body).toMatchObject({ success: true });
  expect((await run(full)).body).toMatchObject({ success: true });
  expect((await run(name)).body).toMatchObject({ success: true });
  expect((await run(qualified, { tool_version: toolkit.version })).status).toBe(200);
  const names = { tool_names: [full], user_id: "alice" };
  expect((await agent.post("/v1/tools/requirements", names)).body).toMatchObject({ met: true });
  const authorize = { tool_name: full, user_id: "alice" };
  expect((await agent.post("/v1/tools/authorize", authorize)).body).toMatchObject({ status: "completed" });
  const gateway = {
    name: "Long",
    slug: "long",
    auth_type: "arcade_header",
    tool_filter: { allowed_tools: [qualified] },
  };
  expect((await admin.post("/v1/orgs/default/projects/default/gateways", gateway)).status).toBe(201);
});

test("a deprecated tool says so in the log of its run and in a header", async () => {
  const message = "Use Other.Act instead.";
  const old = definition({ toolkit: { name: "Old", version: "1.0.0" }, deprecation_message: message });
  // Some workers repeat it.
  const logs = [{ message, level: "warning", subtype: "deprecation" }];
  await create("old", [old], (one) => answered(one, { value: "done", logs }));
  const fresh = definition({ toolkit: { name: "Fresh", version: "1.0.0" } });
  await create("fresh", [fresh]);

  const executed = await run("Old.Act");
  const listed = await agent.get("/v1/tools/Old.Act");
  const other = await run("Fresh.Act");

  expect(at(executed.body, "output.logs")).toEqual([{ level: "warning", subtype: "deprecation", message }]);
  expect(executed.headers.get("deprecation")).toMatch(/^@[0-9]+$/);
  expect(listed.headers.get("deprecation")).toMatch(/^@[0-9]+$/);
  expect(executed.headers.get("link")).toBeNull();
  expect(at(other.body, "output.logs")).toBeUndefined();
  expect(other.headers.get("deprecation")).toBeNull();
});
