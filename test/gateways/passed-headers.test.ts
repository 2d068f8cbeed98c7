// `allowed_passthrough_headers`: which headers of clients reach MCP workers.
import { expect, test } from "bun:test";
import { gatewayOf } from "../../src/gateways/record";

const row = {
  id: "gw_1",
  project_id: "default",
  slug: "a",
  name: "A",
  description: null,
  instructions: null,
  auth_type: "arcade_header",
  user_source_id: null,
  status: "active",
  consent_skip_client_ids: null,
  allowed_groups: null,
  tool_filter: null,
  created_at: 0,
  updated_at: 0,
};

test("a stored record cannot name headers with credentials or of the connection", () => {
  const names = ["X-Tenant", "x-tenant", "Cookie", "Authorization", "Content-Length", "MCP-Session-Id"];
  expect(gatewayOf({ ...row, passthrough_headers: JSON.stringify(names) }).passedHeaders).toEqual([
    "x-tenant",
  ]);
});
