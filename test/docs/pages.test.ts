// `/docs` on the server: every page, its headers, its links, and what is not there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readPages } from "../../src/documentation";
import { type Own, startOwn } from "../server/own";

const PAGES = await readPages();
const NAMES = [...PAGES.keys()];

let own: Own;
beforeAll(async () => {
  own = await startOwn([]);
});
afterAll(() => own[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(own.url + path, { method, headers });

/** The addresses of links, resolved as below the prefix of a proxy. */
function linksOf(html: string, path: string): URL[] {
  return [...html.matchAll(/ href="([^"]*)"/g)].map(
    ([, target = ""]) => new URL(target, `https://proxy.example/prefix${path}`),
  );
}

describe.each([["/docs"], ...NAMES.map((name) => [`/docs/${name}`])])("%s", (path) => {
  test("is plain HTML with a policy, without a key", async () => {
    const answer = await get(path);
    const html = await answer.text();

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    for (const [name, value] of [
      ["referrer-policy", "no-referrer"],
      ["x-content-type-options", "nosniff"],
      ["cache-control", "no-cache"],
    ] as const)
      expect(answer.headers.get(name)).toBe(value);
    expect(html).not.toMatch(/<script|<(?:img|iframe|link|object|embed)\b|\bsrc=| style=|@import/i);
    expect(html).toContain("color-scheme: light dark");
  });

  test("links to headings that exist, to other pages below the same prefix, and elsewhere only by https", async () => {
    const html = await (await get(path)).text();
    for (const link of linksOf(html, path)) {
      if (link.host !== "proxy.example") {
        expect(link.protocol).toBe("https:");
        continue;
      }
      expect(link.pathname).toStartWith("/prefix/");
      const target = link.pathname.slice("/prefix".length);
      const answer = await get(target);
      expect([link.href, answer.status]).toEqual([link.href, 200]);
      if (link.hash !== "") expect(await answer.text()).toContain(` id="${link.hash.slice(1)}"`);
    }
  });
});

test("a page is sent again only if it has changed", async () => {
  const first = await get("/docs/users");
  const etag = first.headers.get("etag") ?? "";
  const again = await get("/docs/users", { "if-none-match": etag });

  expect(etag).not.toBe("");
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  expect((await get("/docs/audit")).headers.get("etag")).not.toBe(etag);
});

test("HEAD has the headers of GET and no body", async () => {
  const answer = await get("/docs/users", {}, "HEAD");

  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
    200,
    "text/html; charset=utf-8",
    "",
  ]);
});

test.each([
  ["gzip, br", "gzip"],
  ["identity", null],
  ["gzip;q=0", null],
])("with Accept-Encoding: %s", async (accepted, encoding) => {
  const answer = await get("/docs/users", { "accept-encoding": accepted });

  expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
    encoding,
    "accept-encoding",
  ]);
  expect(await answer.text()).toContain("<h1");
});

test("an agent gets the Markdown of a page", async () => {
  const answer = await get("/docs/agents.md");

  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(await answer.text()).toBe(PAGES.get("agents")?.text ?? "");
});

describe("a page that does not exist", () => {
  test.each(["/docs/nothing", "/docs/nothing.md", "/docs/..%2f..%2fetc%2fpasswd", "/docs/__proto__"])(
    "%s",
    async (path) => {
      const forPrograms = await get(path, { accept: "application/json" });
      expect([forPrograms.status, Object(await forPrograms.json()).name]).toEqual([404, "route_not_found"]);

      const forPeople = await get(path, { accept: "text/html,*/*" });
      expect(forPeople.status).toBe(404);
      expect(await forPeople.text()).toContain('<a href="../docs">');
    },
  );
});

test("the start page and llms.txt lead to it", async () => {
  expect(await (await get("/")).text()).toContain('<a href="docs">');
  expect(await (await get("/llms.txt")).text()).toContain("/docs/agents.md");
});
