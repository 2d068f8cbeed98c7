// An id that is left out means "any" or "none"; an empty one is a mistake, and is refused by the name of its field.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";

let site: Site;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  await site.addChatProvider();
  admin = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());

const consent = (auth_requirement: object) => () =>
  admin.post("/v1/auth/authorize", { auth_requirement, user_id: "alice" });

const worker = (oauth2: object) => () =>
  admin.post("/v1/workers", {
    id: "notes",
    type: "mcp",
    mcp: { uri: "https://notes.example/mcp", timeout: 30, retry: 0, oauth2 },
  });

test.each<[string, () => ReturnType<typeof admin.get>]>([
  ["auth_requirement.id", consent({ id: "", provider_id: "slack" })],
  ["auth_requirement.provider_id", consent({ provider_id: "" })],
  ["provider_id", () => admin.get("/v1/admin/user_connections?provider_id=")],
  ["user_id", () => admin.get("/v1/admin/user_connections?user_id=")],
  ["mcp.oauth2.client_id", worker({ client_id: "" })],
  ["mcp.oauth2.external_id", worker({ client_id: "client", external_id: "" })],
  ["plugin_id", () => admin.get("/v1/hooks?plugin_id=")],
])("an empty %s is 400", async (field, send) => {
  const { status, body } = await send();

  expect([status, at(body, "field_errors.0.field")]).toEqual([400, field]);
});

test.each([["id"], ["provider_id"]])("an unknown auth_requirement.%s is named", async (name) => {
  const { status, body } = await consent({ [name]: "missing" })();

  expect([status, at(body, "field_errors.0.field")]).toEqual([400, `auth_requirement.${name}`]);
});
