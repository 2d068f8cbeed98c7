// HTTP/1.1: messages as bytes.
import { expect } from "bun:test";
import { sendRaw } from "../../server/raw";
import { bytes } from "../exchange";
import { type Chapter, must, mustNot, should } from "../ledger";

const HOST = "Host: localhost\nConnection: close\n";
const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\n${HOST}${headers}\n`;
const KEY = (world: { keys: { run: string } }): string => `Authorization: Bearer ${world.keys.run}\n`;
const JSON_TYPE = "Content-Type: application/json\n";
const BODY = '{"tool_name":"Nope.Nope"}';
const refused = { status: 400 };

export const rfc9112: Chapter = {
  id: "RFC 9112",
  title: "HTTP/1.1",
  url: "https://www.rfc-editor.org/rfc/rfc9112",
  rows: [
    must(
      "2.2",
      "a message is parsed as octets: the head is read whatever encoding a header value has",
      bytes(get("/v1/health", "X-Any: \u00e4\n"), { status: 200 }),
    ),
    must(
      "2.2",
      "a bare CR inside a line is invalid",
      bytes("GET /v1/health HTTP/1.1\nHost: localhost\nX-A: a\rb\nConnection: close\n\n", {
        status: [200, 400],
      }),
    ),
    should(
      "2.2",
      "an empty line before the request line is ignored",
      bytes(`\n${get("/v1/health")}`, { status: 400 }),
      "The engine answers 400 and closes: no client that is in use sends such a line, and a guess about where a message begins helps smuggling.",
    ),
    mustNot(
      "2.2",
      "whitespace between the start line and the first header is accepted",
      bytes(`GET /v1/health HTTP/1.1\n X: a\n${HOST}\n`, refused),
    ),
    must(
      "2.3",
      "the version of the answer is the highest that the server supports for the major version",
      async ({ url }) => {
        const { head } = await sendRaw(url, [get("/v1/health").replaceAll("\n", "\r\n")]);
        expect(head).toStartWith("HTTP/1.1 200");
      },
    ),
    should(
      "2.3",
      "a major version that is not supported is answered with 505",
      bytes(`GET /v1/health HTTP/3.0\n${HOST}\n`, { status: 505 }),
    ),
    must("2.3", "a request of HTTP/1.0 is answered", bytes("GET /v1/health HTTP/1.0\n\n", { status: 200 })),
    should(
      "3",
      "a request line that is not valid is answered with 400",
      bytes(`GET  /v1/health\n${HOST}\n`, refused),
    ),
    must(
      "3.1",
      "the method is case-sensitive: `get` is not GET",
      bytes(`get /v1/health HTTP/1.1\n${HOST}\n`, { empty: true }),
    ),
    should(
      "3.2",
      "a target with whitespace is refused",
      bytes(`GET /v1/he alth HTTP/1.1\n${HOST}\n`, { status: [400, 505] }),
    ),
    should(
      "3",
      "a request line that is longer than the server parses is answered with 414 or 431",
      bytes(get(`/v1/health?x=${"a".repeat(40_000)}`), { status: [414, 431] }),
    ),
    must(
      "3.2",
      "a request of HTTP/1.1 without Host is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "a request with two Host lines is answered with 400",
      bytes(`GET /v1/health HTTP/1.1\nHost: other\n${HOST}\n`, refused),
    ),
    must(
      "3.2",
      "a request with two equal Host lines is answered with 400",
      bytes(`GET /v1/health HTTP/1.1\n${HOST}Host: localhost\n\n`, refused),
    ),
    must(
      "3.2",
      "a Host with a list of names is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nHost: a, b\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "a Host with whitespace inside is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nHost: a b\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "a Host with a user name is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nHost: user@a\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "a Host with a path is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nHost: a/b\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "a Host with a port that is not a number is answered with 400",
      bytes("GET /v1/health HTTP/1.1\nHost: a:b\nConnection: close\n\n", refused),
    ),
    must(
      "3.2",
      "an IPv6 address in brackets is a valid Host",
      bytes("GET /v1/health HTTP/1.1\nHost: [::1]:99\nConnection: close\n\n", { status: 200 }),
    ),
    must(
      "3.2.1",
      "a target in origin form has a path and a query",
      bytes(get("/v1/health?x=1"), { status: 200 }),
    ),
    must(
      "3.2.2",
      "a target in absolute form is accepted",
      bytes(`GET http://localhost/v1/health HTTP/1.1\n${HOST}\n`, { status: 200 }),
    ),
    must(
      "3.2.2",
      "the host of a target in absolute form replaces the Host line",
      bytes(`GET http://other.example/v1/health HTTP/1.1\n${HOST}\n`, { status: 200 }),
      "The engine drops the host of such a target before our code sees it. Only proxies are sent such lines; ours is an origin server, and the host of gateways is checked by `Host`.",
    ),
    must(
      "3.2.4",
      "OPTIONS may have an asterisk as its target",
      bytes(`OPTIONS * HTTP/1.1\n${HOST}\n`, refused),
      "The engine answers 400. OPTIONS of a path tells what is served.",
    ),
    must(
      "5.1",
      "whitespace between a header name and its colon is answered with 400",
      bytes(`GET /v1/health HTTP/1.1\n${HOST}X-A : b\n\n`, refused),
    ),
    must(
      "5.1",
      "whitespace around a header value is not part of it",
      bytes((world) => get("/v1/tools?limit=1", `Authorization:   Bearer ${world.keys.run}  \n`), {
        status: 200,
      }),
    ),
    must(
      "5.1",
      "a header name is compared without case",
      bytes((world) => get("/v1/tools?limit=1", `aUTHORIZATION: Bearer ${world.keys.run}\n`), {
        status: 200,
      }),
    ),
    must(
      "5.2",
      "obsolete line folding is answered with 400 or replaced by spaces",
      bytes(`GET /v1/health HTTP/1.1\n${HOST}X-A: b\n c\n\n`, refused),
    ),
    must(
      "6.1",
      "a coding that is not understood in Transfer-Encoding is refused",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: gzip, chunked\n\n0\n\n`,
        { status: [400, 501] },
      ),
    ),
    must(
      "6.1",
      "Transfer-Encoding with Content-Length does not lead to two readings: the request is refused",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n`,
        refused,
      ),
    ),
    must(
      "6.3",
      "a request whose last coding is not chunked is answered with 400",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: chunked, gzip\n\n0\n\n`,
        refused,
      ),
    ),
    must(
      "6.3",
      "two different lengths are answered with 400",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: 2\nContent-Length: 3\n\n{}x`,
        refused,
      ),
    ),
    must(
      "6.2",
      "a length that is not a number is answered with 400",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: +2\n\n{}`,
        refused,
      ),
    ),
    must(
      "6.2",
      "a negative length is answered with 400",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: -2\n\n{}`,
        refused,
      ),
    ),
    must(
      "6.3",
      "without Content-Length and Transfer-Encoding a request has no body",
      bytes((world) => `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}\n`, {
        status: 400,
        body: "needs a JSON body",
      }),
    ),
    must(
      "6.3",
      "a body of the announced length is read",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: ${BODY.length}\n\n${BODY}`,
        { status: 400, body: "user_id" },
      ),
    ),
    must(
      "7.1",
      "a chunked body is decoded",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: chunked\n\n${BODY.length.toString(16)}\n${BODY}\n0\n\n`,
        { status: 400, body: "user_id" },
      ),
    ),
    must(
      "7.1",
      "chunk sizes are hexadecimal in either case",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: chunked\n\n${BODY.length.toString(16).toUpperCase()}\n${BODY}\n0\n\n`,
        { status: 400, body: "user_id" },
      ),
    ),
    must(
      "7.1.1",
      "chunk extensions are ignored",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: chunked\n\n${BODY.length.toString(16)};a=b\n${BODY}\n0\n\n`,
        { status: 400, body: "user_id" },
      ),
    ),
    must(
      "7.1",
      "a chunk size that is not a number is refused",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Transfer-Encoding: chunked\n\nxyz\n{}\n0\n\n`,
        refused,
      ),
    ),
    must(
      "8",
      "a body that ends before its length is incomplete and not executed",
      bytes(
        (world) =>
          `POST /v1/tools/execute HTTP/1.1\n${HOST}${KEY(world)}${JSON_TYPE}Content-Length: 900\n\n{`,
        { status: [0, 400] },
      ),
    ),
    must(
      "9.3",
      "a connection is kept open unless it is closed: two requests get two answers",
      // The engine gives up a connection on which a request arrives while the answer to another is awaited: these answer at once.
      bytes(`GET /livez HTTP/1.1\nHost: localhost\n\n${get("/livez")}`, {
        status: 200,
        body: /HTTP\/1\.1 200/,
      }),
    ),
    must(
      "9.3.2",
      "pipelined answers come in the order of the requests",
      bytes(`GET /v1/nothing HTTP/1.1\nHost: localhost\n\n${get("/v1/health")}`, {
        status: 404,
        body: /route_not_found[^]*HTTP\/1\.1 200/,
      }),
    ),
    must(
      "9.6",
      "a connection is closed after the answer to `Connection: close`",
      bytes(get("/v1/health"), { status: 200 }),
    ),
  ],
};
