// Names that do not exist: the error names those that do, if the grant allows the look-up.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Platform } from "./platform";
import { PUBLISHED_READS, rowOf } from "./rows";
import { type Input, User } from "./run";

const FULL = ["report.READ", "form.CREATE", "dashboard.READ", "meta.application.READ"];

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => platform.fresh());
afterAll(() => platform.sandbox.stop());

/** A user with a grant of these scopes. */
function userWith(scopes: readonly string[]): User {
  const { accessToken: token } = platform.sandbox.issueToken("alice", scopes);
  const grant = { scopes: scopes.map((scope) => `ZohoCreator.${scope}`) };
  return new User({ token, grant, serverUrl: platform.sandbox.us.apiUrl });
}

const failure = (tool: string, change: Input, scopes: readonly string[] = FULL) =>
  userWith(scopes).failure(tool, { ...rowOf(tool).input, ...change });

describe("with a grant that allows it", () => {
  test.each([
    [
      "FetchVendorRecords",
      { account_owner_identifier: "acmee" },
      "`account_owner_identifier` must be one of acme (nearest: acme).",
    ],
    [
      "FetchVendorRecords",
      { application_link_name: "inventry" },
      "`application_link_name` must be one of inventory, empty, hr (nearest: inventory).",
    ],
    [
      "FetchVendorRecords",
      { report_link_name: "All_Product" },
      "`report_link_name` must be one of All_Products, All_Suppliers, Stock_Chart (nearest: All_Products).",
    ],
    [
      "InsertRecordsInVendorForm",
      { form_link_name: "Product" },
      "`form_link_name` must be one of Suppliers, Products, Feedback (nearest: Products).",
    ],
  ])("%s with %j", async (tool, change, told) => {
    const error = await failure(tool, change);

    expect(error.message).toEndWith(told);
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", details: { statusCode: 404 } });
    expect(error.details.additionalPromptContent).toContain("call again");
    expect(platform.sandbox.calls()).toBe(2);
  });

  test("a look-up that fails leaves the first error", async () => {
    platform.sandbox.fail("meta.reports", { kind: "server_error" });
    const error = await failure("FetchVendorRecords", { report_link_name: "All_Product" });

    expect(error.message).toEndWith("Correct `report_link_name`.");
    expect(error.details.additionalPromptContent).toContain("FetchVendorReportsMeta");
  });
});

test("without the scope of the look-up nothing more is called, and the tool that lists the names is named", async () => {
  const error = await failure("FetchVendorRecords", { report_link_name: "All_Product" }, ["report.READ"]);

  expect(error.details.additionalPromptContent).toContain("VendorCreatorApi.FetchVendorReportsMeta");
  expect(platform.sandbox.calls()).toBe(1);
});

test.each(PUBLISHED_READS.map(({ tool }) => tool))(
  "%s, which sends no token, calls nothing more",
  async (tool) => {
    const user = new User({ token: "", serverUrl: platform.sandbox.us.apiUrl });
    const error = await user.failure(tool, { ...rowOf(tool).input, report_link_name: "All_Product" });

    expect(error.message).toContain("`report_link_name`");
    expect(platform.sandbox.calls()).toBe(1);
  },
);

test("a key that occurs twice in `request_body` is refused before anything is sent", async () => {
  const error = await failure("InsertRecordsInVendorForm", {
    request_body: '{"data":[{"Name":"Desk","Name":"Lamp"}]}',
  });

  expect(error.message).toContain('must not have the key "Name" twice');
  expect(platform.sandbox.calls()).toBe(0);
});
