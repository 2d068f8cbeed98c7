// The secret VENDOR_SERVER_URL: which values work, and what an operator is told about the others.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Platform } from "./platform";
import { ALL, named, rowOf } from "./rows";
import { User } from "./run";

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => platform.fresh());
afterAll(() => platform.sandbox.stop());

const user = (serverUrl: string | null): User => new User({ token: "1000.a.b", serverUrl });

test.each(["", "/"])("the origin works with %j at its end", async (end) => {
  const { accessToken } = platform.sandbox.issueToken("alice");
  const alice = new User({ token: accessToken, serverUrl: platform.sandbox.us.apiUrl + end });
  await alice.run("GetApplicationMetaInfo");
  expect(platform.sandbox.requests).toMatchObject([{ target: "/creator/v2/meta/applications", status: 200 }]);
});

describe("a value that is not an API base is an error for the operator", () => {
  test.each([
    ["", "absolute"],
    ["www.zohoapis.com", "absolute"],
    ["//www.zohoapis.com", "absolute"],
    ["ftp://www.zohoapis.com", "absolute"],
    ["https:www.zohoapis.com", "absolute"],
    ["https://", "absolute"],
    ["https://user:s3cr3t@www.zohoapis.com", "user name or password"],
    ["https://www.zohoapis.com?x=1", "query"],
    ["https://www.zohoapis.com?", "query"],
    ["https://www.zohoapis.com/#x", "fragment"],
    ["https://www.zohoapis.com/creator/v2", "must not contain /creator"],
    ["https://www.zohoapis.com/creator/v2/", "must not contain /creator"],
    ["https://www.zohoapis.com/creator/v2.1/data", "must not contain /creator"],
    ["https://www.zohoapis.com//creator/v2", "must not contain /creator"],
    ["https://www.zohoapis.com/api", "path"],
    ["https://www.zohoapis.com//", "path"],
    ["https://accounts.zohocloud.ca/", "https://www.zohoapis.ca"],
  ])("%s", async (value, words) => {
    const error = await user(value).failure("GetApplicationMetaInfo");
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", canRetry: false });
    expect(error.message).toContain("VENDOR_SERVER_URL");
    expect(error.message).toContain(words);
    expect(error.message).not.toContain("s3cr3t");
    expect(platform.sandbox.calls()).toBe(0);
  });

  test.each(named(ALL))("%s requires it", async (name, { input }) => {
    expect(await user("https://h/creator/v2").failure(name, input)).toMatchObject({
      kind: "TOOL_RUNTIME_FATAL",
    });
  });
});

test("calls go to this host for users of all data centers", async () => {
  const { accessToken } = platform.sandbox.issueToken("carla");
  const carla = new User({ token: accessToken, serverUrl: platform.sandbox.eu.apiUrl });
  await carla.run("FetchVendorRecords", {
    ...rowOf("FetchVendorRecords").input,
    account_owner_identifier: "europa",
  });
  expect(platform.sandbox.requests).toMatchObject([{ location: "eu", host: "api", person: "carla" }]);
});

test("a host that the address policy refuses is an error for the operator", async () => {
  const error = await user("http://10.0.0.1").failure("GetApplicationMetaInfo");
  expect(error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL" });
  expect(error.message).toContain("egress.allow");
});
