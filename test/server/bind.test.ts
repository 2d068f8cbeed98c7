// Where the server listens, and what it says when it cannot.
import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { RuntimeError } from "../../src/errors";
import { bindError } from "../../server";
import { type Own, startOwn, testCatalog } from "./own";

const BEHIND = { RUNTIME_BEHIND_PROXY: "true" };

async function refusalOf(environment: Record<string, string>): Promise<RuntimeError> {
  try {
    await using own = await startOwn([testCatalog], environment);
    throw new Error(`started at ${own.url}`);
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    expect(error.name).toBe("configuration");
    expect(error.message).not.toContain("\n");
    return error;
  }
}

const healthOf = async (url: string) => (await fetch(`${url}/v1/health`)).status;
const portOf = ({ url }: Own) => new URL(url).port;

test("a port that another server of ours has is refused at once, and that server goes on [fault: shared-port]", async () => {
  await using first = await startOwn();
  const { message } = await refusalOf({ RUNTIME_PORT: portOf(first) });
  expect(message).toContain(`127.0.0.1:${portOf(first)} is in use by another program`);
  expect(message).toContain("--port (RUNTIME_PORT)");
  expect(await healthOf(first.url)).toBe(200);
});

test("a port of another program is refused too, on one address or on all", async () => {
  using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  for (const host of ["127.0.0.1", "0.0.0.0", "localhost"]) {
    const { message } = await refusalOf({ ...BEHIND, RUNTIME_HOST: host, RUNTIME_PORT: String(other.port) });
    expect(message).toContain("is in use by another program");
  }
});

test.each([
  ["192.0.2.1", "is not an address of this machine"],
  ["not a host", "cannot be resolved"],
])("%s is refused as: %s [fault: shared-port]", async (host, text) => {
  const { message } = await refusalOf({ ...BEHIND, RUNTIME_HOST: host });
  expect(message).toContain(text);
  expect(message).not.toContain("in use");
});

// The three cases by the system's own codes: tests may run as root, whom no port is closed to.
test.each([
  ["EADDRINUSE", "in use"],
  ["EACCES", "no permission"],
  ["EPERM", "no permission"],
  ["EADDRNOTAVAIL", "not an address of this machine"],
  ["ENOTFOUND", "not an address of this machine"],
])("%s is reported as: %s [fault: shared-port]", (code, text) => {
  const error = bindError("127.0.0.1", 80, Object.assign(new Error("s3cr3t"), { code }));
  expect(error.message).toContain("127.0.0.1:80");
  expect(error.message).toContain(text);
  expect(error.message).not.toContain("s3cr3t");
});

describe("an address that other machines reach", () => {
  test("logs a warning without a public_url: browsers would be sent to their own machine", async () => {
    const WARNING = "public_url is not set";
    await using bare = await startOwn([testCatalog], { ...BEHIND, RUNTIME_HOST: "0.0.0.0" });
    const named = { ...BEHIND, RUNTIME_HOST: "0.0.0.0", RUNTIME_PUBLIC_URL: "https://runtime.test" };
    await using whole = await startOwn([testCatalog], named);
    await using local = await startOwn();

    expect(bare.logLines.join("\n")).toContain(WARNING);
    for (const { logLines } of [whole, local]) expect(logLines.join("\n")).not.toContain(WARNING);
  });

  test("logs a warning for a public_url that is plain http, except on this machine", async () => {
    const WARNING = "public_url is plain http";
    await using plain = await startOwn([testCatalog], { RUNTIME_PUBLIC_URL: "http://runtime.test" });
    await using secure = await startOwn([testCatalog], { RUNTIME_PUBLIC_URL: "https://runtime.test" });
    await using local = await startOwn([testCatalog], { RUNTIME_PUBLIC_URL: "http://localhost:9099" });

    expect(plain.logLines.join("\n")).toContain(WARNING);
    for (const { logLines } of [secure, local]) expect(logLines.join("\n")).not.toContain(WARNING);
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "10.0.0.1"])(
    "%s is refused without TLS and without a proxy in front, in one line that says what to set",
    async (host) => {
      const { message } = await refusalOf({ RUNTIME_HOST: host });
      expect(message).toStartWith(`${host} can be reached from other machines`);
      expect(message).toContain("--tls-cert");
      expect(message).toContain("RUNTIME_BEHIND_PROXY=true");
    },
  );

  test("is refused before the port is taken", async () => {
    using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const { message } = await refusalOf({ RUNTIME_HOST: "0.0.0.0", RUNTIME_PORT: String(other.port) });
    expect(message).not.toContain("in use");
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);
const hosts = ["127.0.0.1", "0.0.0.0", "localhost", ...(hasIpv6 ? ["::1", "[::1]", "::"] : [])];

test.each(hosts)(
  "listening on %s it can be reached at the address it prints [fault: address-family]",
  async (host) => {
    await using own = await startOwn([testCatalog], { ...BEHIND, RUNTIME_HOST: host });
    expect(await healthOf(own.url)).toBe(200);
    expect(own.runtime.core.publicUrl()).toBe(own.url);
  },
);

test("two servers on two databases do not share a port", async () => {
  await using first = await startOwn();
  await using second = await startOwn();
  expect(portOf(second)).not.toBe(portOf(first));
  const key = await first.key("read");
  const statuses = await Promise.all(
    [first, second].map(
      async ({ url }) => (await fetch(`${url}/v1/tools`, { headers: { authorization: key } })).status,
    ),
  );
  expect(statuses).toEqual([200, 401]);
});
