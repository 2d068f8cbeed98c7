import { describe, expect, test } from "bun:test";
import { silentLog } from "../../src/base";
import { createEgress } from "../../src/egress";
import { parseAllowList } from "../../src/egress/allow-list";
import { checkAddresses } from "../../src/egress/policy";
import { parseTarget, portOf } from "../../src/egress/target";
import { LITERALS, RESOLVED } from "./attacks";
import { egressWith, failureOf, names, rawPeer, webPeer } from "./peers";

const strict = (resolve?: (host: string) => Promise<string[]>) =>
  createEgress({
    allow: [],
    timeoutMs: 1_000,
    maxBytes: 1_000,
    log: silentLog,
    resolve: resolve ?? (() => Promise.reject(new Error("no name is asked for"))),
  });

describe("without an allow list", () => {
  test("the tables contain more than a hundred attacks", () => {
    expect(new Set(LITERALS).size + RESOLVED.length).toBeGreaterThan(100);
  });

  test.each(LITERALS)("https://%s is refused before anything is sent", async (host) => {
    const error = await failureOf(strict().fetch(`https://${host}/`));
    expect([error.reason, error.maybeSent]).toEqual(["address_refused", false]);
    expect(error.message).toContain("Set egress.allow (RUNTIME_EGRESS_ALLOW) to include ");
  });

  test.each(LITERALS)("plain http to %s is refused too", async (host) => {
    expect((await failureOf(strict().fetch(`http://${host}:8080/`))).reason).toBe("address_refused");
  });

  test.each(RESOLVED)("a name that resolves to a public address and %p is refused", async (address) => {
    const egress = strict(names({ "rebind.example": ["93.184.215.14", address] }));
    expect((await failureOf(egress.fetch("https://rebind.example/"))).reason).toBe("address_refused");
  });

  test.each(["http://93.184.215.14/", "http://public.example/", "http://[2606:4700::1111]/"])(
    "plain http to a public address is refused: %s",
    async (url) => {
      const egress = strict(names({ "public.example": ["93.184.215.14"] }));
      const error = await failureOf(egress.fetch(url));
      expect(error.reason).toBe("address_refused");
      expect(error.message).toStartWith("Plain http to ");
    },
  );

  test.each(["https://public.example/", "https://93.184.215.14/", "https://[2606:4700::1111]/"])(
    "https to public addresses passes: %s",
    (url) => {
      const texts = ["93.184.215.14", "2606:4700::1111"];
      const addresses = checkAddresses(parseTarget(url), texts, parseAllowList([]).for(undefined, 443));
      expect(addresses.map(({ text }) => text)).toEqual(texts);
    },
  );
});

describe("the message names the entry that would allow the target", () => {
  test.each([
    ["https://127.0.0.1/", "127.0.0.1:443"],
    ["https://[::1]:8443/", "[::1]:8443"],
    ["https://10.0.0.1/", "10.0.0.1:443"],
    ["https://[fc00::1]/", "[fc00::1]:443"],
    ["https://169.254.169.254/", "169.254.169.254:443"],
    ["https://[fe80::1]/", "[fe80::1]:443"],
    ["https://[64:ff9b::7f00:1]/", "[64:ff9b::7f00:1]:443"],
    ["https://inner.example/", "inner.example:443"],
    ["https://shared.example/", "shared.example:443"],
    ["https://metadata.example/", "169.254.169.254:443"],
    ["http://public.example/", "public.example:80"],
  ])("%s: %s", async (url, entry) => {
    const resolve = names({
      "inner.example": ["10.0.0.1"],
      "shared.example": ["100.64.0.1"],
      "metadata.example": ["169.254.169.254"],
      "public.example": ["93.184.215.14"],
    });
    const error = await failureOf(strict(resolve).fetch(url));
    expect(error.message).toEndWith(`Set egress.allow (RUNTIME_EGRESS_ALLOW) to include "${entry}".`);
    const target = parseTarget(url);
    const texts = target.literal === undefined ? await resolve(target.host) : [target.literal.text];
    expect(() =>
      checkAddresses(target, texts, parseAllowList([entry]).for(undefined, portOf(target.url))),
    ).not.toThrow();
  });
});

describe("with an allow list", () => {
  test.each([
    ["loopback", "127.0.0.1"],
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.0/8", "127.0.0.1"],
    ["loopback", "[::ffff:127.0.0.1]"],
    ["loopback", "2130706433"],
    ["loopback", "app.example"],
    ["app.example", "app.example"],
    ["app.example", "APP.example."],
    [".example", "app.example"],
    ["localhost", "localhost"],
  ])("%s allows plain http to %s", async (entry, host) => {
    using peer = webPeer(() => new Response("hello"));
    const resolve = names({ "app.example": ["127.0.0.1"], localhost: ["127.0.0.1"] });
    const response = await egressWith({ allow: [entry], resolve }).fetch(`http://${host}:${peer.port}/`);
    expect(await response.text()).toBe("hello");
  });

  test("IPv6 loopback is reached in brackets", async () => {
    using peer = webPeer(() => new Response("six"), "[::1]");
    const response = await egressWith().fetch(`http://[::1]:${peer.port}/`);
    expect(await response.text()).toBe("six");
    expect(peer.requests[0]?.headers.get("host")).toBe(`[::1]:${peer.port}`);
  });

  test.each(["169.254.169.254", "fd00:ec2::254", "fe80::1", "100.100.100.200"])(
    "a host name on the list does not vouch for %s",
    async (address) => {
      const egress = egressWith({
        allow: ["evil.example", ".example", "private"],
        resolve: names({ "evil.example": [address] }),
      });
      const error = await failureOf(egress.fetch("https://evil.example/"));
      expect(error.reason).toBe("address_refused");
    },
  );

  test("an entry for one host does not allow another host with the same address", async () => {
    using peer = await rawPeer(() => undefined);
    const egress = egressWith({
      allow: ["good.example"],
      resolve: names({ "other.example": ["127.0.0.1"] }),
    });
    const error = await failureOf(egress.fetch(`http://other.example:${peer.port}/`));
    expect([error.reason, peer.connections]).toEqual(["address_refused", 0]);
  });

  test("one refused address among allowed ones refuses the host", async () => {
    const egress = egressWith({ resolve: names({ "mixed.example": ["127.0.0.1", "10.0.0.1"] }) });
    const error = await failureOf(egress.fetch("http://mixed.example/"));
    expect(error.reason).toBe("address_refused");
  });
});
