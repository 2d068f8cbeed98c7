// What the server says of itself to clients that find their way alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { api, at, call } from "../support/api";
import { type Own, startOwn } from "./own";

const PUBLIC_URL = "https://runtime.test/agent";
const ENVIRONMENT = {
  RUNTIME_PUBLIC_URL: `${PUBLIC_URL}/`,
  RUNTIME_AUTH_URL: "https://identity.test",
  RUNTIME_AUTH_CLIENT_ID: "runtime",
  RUNTIME_TOOLS_TIMEOUT: "70",
};

let own: Own;
beforeAll(async () => {
  own = await startOwn(extensions.catalogs, ENVIRONMENT);
});
afterAll(() => own[Symbol.asyncDispose]());

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(own.url + path, { redirect: "manual", headers });

describe("/v1/config", () => {
  test("says where users sign in and providers call back", async () => {
    const { status, body } = await call(own.url, { method: "GET", path: "/v1/config" });

    expect(status).toBe(200);
    expect(body).toEqual({
      dashboard: { authority: "https://identity.test", clientId: "runtime", coordinatorUri: "" },
      oauth2: { callback_url_template: `${PUBLIC_URL}/api/v1/oauth/{external_id}/callback` },
      servers: { timeout_max_seconds: 70 },
    });
  });

  test("sends empty texts for what is not set, and is never shorter than a long poll", async () => {
    await using plain = await startOwn([]);
    const { body } = await call(plain.url, { method: "GET", path: "/v1/config" });

    expect(at(body, "dashboard")).toEqual({ authority: "", clientId: "", coordinatorUri: "" });
    expect(at(body, "servers.timeout_max_seconds")).toBe(59);
    expect(at(body, "oauth2.callback_url_template")).toStartWith(`${plain.url}/api/v1/oauth/`);
  });
});

describe("/v1/swagger", () => {
  test("sends a browser to the page, below whatever prefix it came by", async () => {
    const answer = await read("/v1/swagger", { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" });

    expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({
      status: 303,
      location: "swagger/ui",
    });
  });

  test.each(["application/json", "*/*", ""])("answers the document to who accepts %p", async (accept) => {
    const answer = await read("/v1/swagger", accept === "" ? {} : { accept });

    expect(answer.status).toBe(200);
    expect(at(await answer.json(), "servers.0.url")).toBe(PUBLIC_URL);
  });
});

describe("an ETag", () => {
  test.each(["/openapi.json", "/v1/swagger", "/v1/formatted_tools", "/v1/formatted_tools/Chat.WhoAmI"])(
    "of %s saves its body",
    async (path) => {
      const authorization = await own.key("read");
      const first = await read(path, { authorization });
      const etag = first.headers.get("etag") ?? "";

      expect(etag).toMatch(/^"[\w-]{27}"$/);
      expect(first.headers.get("cache-control")).toBe("private, no-cache");
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await read(path, { authorization, "if-none-match": known });
        expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
      }
      expect((await read(path, { authorization, "if-none-match": '"other"' })).status).toBe(200);
    },
  );

  test("of tools differs with format and page", async () => {
    const authorization = await own.key("read");
    const queries = ["format=openai", "format=gemini", "format=openai&limit=2", "format=openai&toolkit=chat"];
    const etags = await Promise.all(
      queries.map(async (query) => (await read(`/v1/formatted_tools?${query}`, { authorization })).headers),
    );

    expect(new Set(etags.map((headers) => headers.get("etag"))).size).toBe(queries.length);
  });

  test("is not given for what is made for a user", async () => {
    const authorization = await own.key("read");
    const answer = await read("/v1/formatted_tools?user_id=alice", { authorization });

    expect(answer.headers.get("etag")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("is refused by its credential first", async () => {
    expect((await read("/v1/formatted_tools", { "if-none-match": "*" })).status).toBe(401);
  });
});

describe("/.well-known/api-catalog", () => {
  test("links the API with what describes it (RFC 9727)", async () => {
    const answer = await read("/.well-known/api-catalog");

    expect(answer.headers.get("content-type")).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const { linkset } = Object(await answer.json());
    expect(linkset[0]).toEqual({
      anchor: `${PUBLIC_URL}/.well-known/api-catalog`,
      item: [{ href: `${PUBLIC_URL}/v1`, type: "application/linkset+json" }],
    });
    expect(linkset[1].anchor).toBe(`${PUBLIC_URL}/v1`);
    expect(Object.keys(linkset[1])).toEqual(["anchor", "service-desc", "service-doc", "status"]);
  });

  test("links only what this server answers", async () => {
    const links = [...(await (await read("/.well-known/api-catalog")).text()).matchAll(/"href":"([^"]+)"/g)];
    expect(links).toHaveLength(5);
    for (const [, href = ""] of links) {
      expect([href, (await read(href.replace(PUBLIC_URL, ""))).status]).toEqual([href, 200]);
    }
  });

  test("links an API that names its own descriptions (RFC 8631)", async () => {
    const answer = await read("/v1");
    const { linkset } = Object(await answer.json());

    expect(answer.headers.get("content-type")).toBe("application/linkset+json");
    expect(linkset).toEqual([Object(await (await read("/.well-known/api-catalog")).json()).linkset[1]]);
    expect(answer.headers.get("link")).toBe(`<${PUBLIC_URL}/openapi.json>; rel="service-desc"`);
  });

  test("answers HEAD with its own link", async () => {
    const answer = await fetch(`${own.url}/.well-known/api-catalog`, { method: "HEAD" });

    expect(answer.headers.get("link")).toBe(`<${PUBLIC_URL}/.well-known/api-catalog>; rel="api-catalog"`);
  });
});

describe("/llms.txt", () => {
  test("names every tool of the catalogs, deprecated ones last with what replaces them", async () => {
    const answer = await read("/llms.txt");
    const text = await answer.text();

    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toStartWith("# Agent runtime\n\n> ");
    const withTools = extensions.catalogs;
    expect(withTools).toHaveLength(3);
    for (const { toolkit, tools } of withTools) {
      expect(text).toContain(`\n## ${toolkit.name} tools\n`);
      for (const { name, replacement } of tools) {
        const at = text.indexOf(`- [${toolkit.name}.${name}](`);
        expect([name, at > 0, at > text.indexOf("\n## Optional\n")]).toEqual([
          name,
          true,
          replacement !== undefined,
        ]);
        if (replacement !== undefined) expect(text).toContain(` Use ${replacement}. (needs an API key)\n`);
      }
    }
  });

  test("links only what this server answers", async () => {
    const authorization = await own.key("read");
    const text = await (await read("/llms.txt")).text();
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href = ""]) => href);

    expect(links.length).toBeGreaterThan(30);
    for (const href of new Set(links)) {
      expect(href).toStartWith(PUBLIC_URL);
      const answer = await read(href.replace(PUBLIC_URL, ""), { authorization });
      expect([href, answer.status]).toEqual([href, 200]);
    }
  });

  test("has nothing but links below a heading, as the form wants it", async () => {
    const [, ...sections] = (await (await read("/llms.txt")).text()).split("\n## ");
    expect(sections.length).toBeGreaterThan(3);
    for (const section of sections) {
      const [heading, ...lines] = section.split("\n").filter((line) => line !== "");
      expect([heading, lines.filter((line) => !/^- \[[^\]]+\]\(https:\/\/[^)]+\): \S/.test(line))]).toEqual([
        heading,
        [],
      ]);
    }
  });

  test("says of each link whether it needs a key", async () => {
    const lines = [...(await (await read("/llms.txt")).text()).matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.*)$/gm)];
    const key = await own.key("read");
    const wrong: string[] = [];
    for (const [, href = "", meaning = ""] of lines) {
      const path = href.replace(PUBLIC_URL, "");
      const needsKey = meaning.endsWith("(needs an API key)");
      const expected = needsKey ? [401, 200] : [200, 200];
      const statuses = [(await read(path)).status, (await read(path, { authorization: key })).status];
      if (!Bun.deepEquals(statuses, expected)) wrong.push(`${href}: ${statuses.join(", ")}`);
    }

    expect([lines.length > 50, wrong]).toEqual([true, []]);
  });

  test("says what each toolkit is for", async () => {
    const text = await (await read("/llms.txt")).text();
    for (const { toolkit } of extensions.catalogs)
      expect(text).toContain(`- ${toolkit.name}: ${toolkit.description}`);
  });
});

describe("GET /v1/formatted_tools", () => {
  test("cuts and filters as the list of tools does", async () => {
    const agent = api(own.url, await own.key("read"));
    for (const query of ["", "?limit=2&offset=3", "?toolkit=CHAT", '?filter={"read_only":true}&limit=100']) {
      const listed = (await agent.get(`/v1/tools${query}`)).body;
      const formatted = (await agent.get(`/v1/formatted_tools${query}`)).body;
      const names = (body: unknown, path: string) =>
        (Object(body).items as unknown[]).map((item) => String(at(item, path)).replace(".", "_"));

      expect(names(formatted, "function.name")).toEqual(names(listed, "qualified_name"));
      for (const key of ["total_count", "offset", "limit", "page_count"])
        expect(at(formatted, key)).toEqual(at(listed, key) as number);
    }
  });

  test.each([
    ["openai", "function.parameters.type", "object"],
    ["anthropic", "input_schema.type", "object"],
    ["gemini", "name", "Chat_WhoAmI"],
    ["mcp", "inputSchema.type", "object"],
    ["arcade", "qualified_name", "Chat.WhoAmI"],
  ])("speaks %s", async (format, path, value) => {
    const agent = api(own.url, await own.key("read"));
    const one = await agent.get(`/v1/formatted_tools/Chat.WhoAmI?format=${format}`);
    const all = await agent.get(`/v1/formatted_tools?format=${format}&toolkit=Chat&limit=100`);
    const forUser = await agent.get(`/v1/formatted_tools/chat_whoami?format=${format}&user_id=alice`);

    expect(at(one.body, path)).toBe(value);
    expect(Object(all.body).items).toContainEqual(one.body);
    if (format !== "arcade") expect(forUser.body).toEqual(one.body);
    const shown = await agent.get(`/v1/tools/Chat.WhoAmI?include_format=${format}`);
    if (format !== "arcade") expect(at(shown.body, `formatted_schema.${format}`)).toEqual(one.body);
  });

  test("is openai when nothing is said", async () => {
    const agent = api(own.url, await own.key("read"));
    const plain = await agent.get("/v1/formatted_tools/Chat.WhoAmI");

    expect(plain.body).toEqual((await agent.get("/v1/formatted_tools/Chat.WhoAmI?format=openai")).body);
  });

  test.each<[string, number, string]>([
    ["/v1/formatted_tools?format=yaml", 400, "unsupported_format"],
    ["/v1/formatted_tools?format=", 400, "unsupported_format"],
    ["/v1/formatted_tools?limit=0", 400, "malformed_request"],
    ["/v1/formatted_tools?filter={", 400, "invalid_parameter"],
    ["/v1/formatted_tools/Chat.Nothing", 400, "tool_not_found"],
    ["/v1/formatted_tools/nothing", 400, "malformed_request"],
    ["/v1/formatted_tools/Chat.WhoAmI?format=strict", 400, "unsupported_format"],
  ])("%s is %i %s", async (path, status, name) => {
    const answer = await api(own.url, await own.key("read")).get(path);

    expect([answer.status, at(answer.body, "name")]).toEqual([status, name]);
  });

  test("does not show the tools of a user that the key may not act for", async () => {
    const agent = api(own.url, await own.key("read", ["alice"]));

    expect((await agent.get("/v1/formatted_tools?user_id=bob")).status).toBe(403);
    expect((await agent.get("/v1/formatted_tools/Chat.WhoAmI?user_id=bob")).status).toBe(403);
    expect((await agent.get("/v1/formatted_tools?user_id=alice")).status).toBe(200);
  });
});
