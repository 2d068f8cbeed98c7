import { describe, expect, test } from "bun:test";
import { RuntimeError } from "../../src/errors";
import { readAddress } from "../../src/egress/address";
import { parseAllowList } from "../../src/egress/allow-list";

function covers(entry: string, text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) throw new Error(text);
  return parseAllowList([entry]).for(undefined, 443).covers(address);
}

describe("addresses", () => {
  test.each([
    ["loopback", "127.0.0.1", true],
    ["loopback", "::1", true],
    ["loopback", "::ffff:127.9.9.9", true],
    ["loopback", "10.0.0.1", false],
    ["loopback", "0.0.0.0", false],
    ["private", "10.0.0.1", true],
    ["private", "fd12::1", true],
    ["private", "127.0.0.1", false],
    ["private", "169.254.1.1", false],
    ["private", "100.64.0.1", false],
    ["private", "fd00:ec2::254", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.1.2.4", false],
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["10.1.0.0/16", "::ffff:10.1.2.3", true],
    ["169.254.169.254", "169.254.169.254", true],
    ["fd00:ec2::/32", "fd00:ec2::254", true],
    ["::1", "127.0.0.1", false],
    ["0.0.0.0/0", "::1", false],
    ["127.0.0.1", "64:ff9b::7f00:1", false],
    ["64:ff9b::/96", "64:ff9b::7f00:1", true],
  ])("%s covers %s: %p", (entry, text, expected) => {
    expect(covers(entry, text)).toBe(expected);
  });
});

describe("ports", () => {
  const allows = (entry: string, port: number, host: string): boolean => {
    const list = parseAllowList([entry]).for(undefined, port);
    const address = readAddress(host);
    return address === undefined ? list.namesHost(host) : list.covers(address);
  };

  test.each<[string, string, number, boolean]>([
    ["api.example:8443", "api.example", 8443, true],
    ["api.example:8443", "api.example", 443, false],
    ["api.example:8443", "other.example", 8443, false],
    [".example:8443", "api.example", 8443, true],
    [".example:8443", "api.example", 443, false],
    ["loopback:8080", "127.0.0.1", 8080, true],
    ["loopback:8080", "::1", 8080, true],
    ["loopback:8080", "127.0.0.1", 8081, false],
    ["private:443", "10.0.0.1", 443, true],
    ["private:443", "10.0.0.1", 80, false],
    ["10.1.2.3:443", "10.1.2.3", 443, true],
    ["10.1.2.3:443", "10.1.2.3", 444, false],
    ["10.0.0.0/8:443", "10.9.9.9", 443, true],
    ["10.0.0.0/8:443", "10.9.9.9", 80, false],
    ["10.0.0.0/8:443", "11.0.0.1", 443, false],
    ["10.0.0.0/8:8000-8100", "10.9.9.9", 8050, true],
    ["10.0.0.0/8:8000-8100", "10.9.9.9", 8101, false],
    ["[::1]:8080", "::1", 8080, true],
    ["[::1]:8080", "::1", 8081, false],
    ["[fd00::]/8:443", "fd12::1", 443, true],
    ["[fd00::/8]:443", "fd12::1", 443, true],
    ["[fd00::/8]:443", "fd12::1", 80, false],
    // Without brackets, all of it is the address.
    ["::1:8080", "::1:8080", 443, true],
    ["::1:8080", "::1", 8080, false],
  ])("%s allows %s at port %i: %p", (entry, host, port, expected) => {
    expect(allows(entry, port, host)).toBe(expected);
  });
});

describe("projects", () => {
  test.each<[string, string | undefined, boolean]>([
    ["project=team-a api.example", "team-a", true],
    ["project=team-a api.example:443", "team-a", true],
    ["  project=team-a   api.example  ", "team-a", true],
    ["project=Team.A api.example", "Team.A", true],
    ["project=Team.A api.example", "team.a", false],
    ["project=team-a api.example", "team-b", false],
    ["project=team-a api.example", undefined, false],
    ["project=team-a api.example:80", "team-a", false],
    ["api.example", "team-b", true],
    ["api.example", undefined, true],
  ])("%p for requests of %p: %p", (entry, project, expected) => {
    expect(parseAllowList([entry]).for(project, 443).namesHost("api.example")).toBe(expected);
  });

  test("an entry of one project adds nothing to those of others", () => {
    const list = parseAllowList(["project=a one.example", "project=b two.example", "all.example"]).for(
      "a",
      443,
    );
    expect(["one.example", "two.example", "all.example"].map((host) => list.namesHost(host))).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("host names", () => {
  test.each([
    ["api.example", "api.example", true],
    ["API.Example", "api.example", true],
    ["bücher.example", "xn--bcher-kva.example", true],
    ["api.example", "x.api.example", false],
    ["api.example", "notapi.example", false],
    [".example", "api.example", true],
    [".example", "a.b.example", true],
    [".example", "example", false],
    [".example", "badexample", false],
    ["host_1", "host_1", true],
  ])("%s names %s: %p", (entry, host, expected) => {
    expect(parseAllowList([entry]).for(undefined, 443).namesHost(host)).toBe(expected);
  });
});

test.each([
  "",
  "https://api.example",
  "api.example/path",
  "user@api.example",
  "*",
  "*.example",
  ".",
  "..example",
  "10.0.0.0/33",
  "10.0.0/8",
  "127.1",
  "0x7f000001",
  "::1/129",
  "[::1]",
  "a b",
  "api.example:0",
  "api.example:65536",
  "api.example:http",
  "api.example:8100-8000",
  "fe80::zz:443",
  "[api.example]:443",
  "[10.0.0.1]:443",
  "project=team-a",
  "project= api.example",
  "project=a/b api.example",
  "project=a project=b api.example",
])("the entry %p prevents the start, with an error that names the setting", (entry) => {
  const parse = (): unknown => parseAllowList(["loopback", entry]);
  expect(parse).toThrow(RuntimeError);
  expect(parse).toThrow("egress.allow (RUNTIME_EGRESS_ALLOW)");
});
