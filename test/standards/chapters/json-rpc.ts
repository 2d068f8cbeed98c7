// JSON-RPC 2.0 at gateways.
import { type Chapter, must, mustNot, should, shouldNot } from "../ledger";
import { error, legacy, posts, request } from "../mcp";

const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
/** The id of the request comes back with these bytes. */
const echoes = (id: string) => posts({ message: ping(id) }, { status: 200, body: `"id":${id},"result"` });

export const jsonRpc: Chapter = {
  id: "JSON-RPC 2.0",
  title: "JSON-RPC 2.0 Specification",
  url: "https://www.jsonrpc.org/specification",
  rows: [
    must(
      "4",
      "a message has jsonrpc with exactly 2.0",
      posts({ message: { jsonrpc: "1.0", id: 1, method: "ping" } }, error(-32600, 400)),
    ),
    must(
      "4",
      "a message without jsonrpc is invalid",
      posts({ message: { id: 1, method: "ping" } }, error(-32600, 400)),
    ),
    must(
      "4",
      "2.0 as a number is invalid",
      posts({ message: { jsonrpc: 2, id: 1, method: "ping" } }, error(-32600, 400)),
    ),
    must(
      "4",
      "method is a text",
      posts({ message: { jsonrpc: "2.0", id: 1, method: 7 } }, error(-32600, 400)),
    ),
    must("4", "method is compared with case", legacy("PING", undefined, error(-32601))),
    must(
      "4",
      "an id is a text or a number: a list is invalid",
      posts({ message: request("ping", undefined, [1]) }, error(-32600, 400)),
    ),
    must(
      "4",
      "an id is a text or a number: an object is invalid",
      posts({ message: request("ping", undefined, {}) }, error(-32600, 400)),
    ),
    must(
      "4",
      "an id is a text or a number: a truth value is invalid",
      posts({ message: request("ping", undefined, true) }, error(-32600, 400)),
    ),
    shouldNot("4", "an id is null", posts({ message: request("ping", undefined, null) }, error(-32600, 400))),
    shouldNot(
      "4",
      "a number as an id has a fraction",
      posts({ message: request("ping", undefined, 1.5) }, error(-32600, 400)),
    ),
    must(
      "4.2",
      "params are a structured value: a text is invalid",
      posts({ message: { jsonrpc: "2.0", id: 1, method: "ping", params: "x" } }, error(-32602, 400)),
    ),
    must("4.2", "params by name are an object", legacy("ping", {}, { status: 200, body: '"result":{}' })),
    must(
      "4.1",
      "a notification gets no answer",
      posts(
        { message: { jsonrpc: "2.0", method: "notifications/initialized" } },
        { status: 202, body: /^$/ },
      ),
    ),
    must(
      "4.1",
      "a notification that is not known gets no answer",
      posts({ message: { jsonrpc: "2.0", method: "notifications/made-up" } }, { status: 202, body: /^$/ }),
    ),
    must(
      "5",
      "an answer has jsonrpc with exactly 2.0",
      posts({ message: ping("1") }, { body: '"jsonrpc":"2.0"' }),
    ),
    must("5", "the id of an answer is that of the request: a number", echoes("7")),
    must("5", "the id of an answer is that of the request: a text", echoes('"a b"')),
    must("5", "the id of an answer is that of the request: an empty text", echoes('""')),
    must("5", "the id of an answer is that of the request: zero", echoes("0")),
    must("5", "the id of an answer is that of the request: a negative number", echoes("-5")),
    must("5", "the id of an answer is that of the request: beyond 2^53", echoes("9007199254740993")),
    must("5", "the id of an answer is that of the request: 20 digits", echoes("12345678901234567890")),
    must(
      "5",
      "the id of an answer is that of the request: digits in a text stay a text",
      echoes('"12345678901234567890"'),
    ),
    must("5", "the id of an answer is that of the request: characters beyond ASCII", echoes('"\u4e16"')),
    must(
      "5",
      "the last of two ids counts, as for parsers",
      posts({ message: '{"jsonrpc":"2.0","id":1,"method":"ping","id":2}' }, { body: '"id":2,' }),
    ),
    must(
      "5",
      "an answer has either a result or an error: a result",
      posts({ message: ping("1") }, { body: '"result"', not: '"error"' }),
    ),
    must(
      "5",
      "an answer has either a result or an error: an error",
      legacy("made/up", undefined, { body: '"error"', not: '"result"' }),
    ),
    must(
      "5",
      "the id is null if it could not be read",
      posts({ message: "{broken" }, { status: 400, body: '"error"', not: '"id"' }),
      "The id is left out. The schemas of MCP allow no null there, and clients that check answers against them refuse it.",
    ),
    must(
      "5.1",
      "an error has a code that is an integer and a message",
      legacy("made/up", undefined, { body: /"error":\{"code":-32601,"message":"[^"]+"/ }),
    ),
    must("5.1", "invalid JSON is -32700", posts({ message: "{broken" }, error(-32700, 400))),
    must(
      "5.1",
      "an invalid request is -32600",
      posts({ message: { jsonrpc: "2.0", id: 1 } }, error(-32600, 400)),
    ),
    must("5.1", "an unknown method is -32601", legacy("made/up", undefined, error(-32601))),
    must("5.1", "invalid parameters are -32602", legacy("tools/call", { name: 7 }, error(-32602))),
    must(
      "5.1",
      "an invalid request with an id that can be read is answered with it",
      posts({ message: { jsonrpc: "1.0", id: 9, method: "ping" } }, { body: '"id":9,' }),
    ),
    must(
      "5.1",
      "invalid parameters are answered with the id",
      posts(
        { message: { jsonrpc: "2.0", id: 9, method: "ping", params: [1] } },
        { body: '"id":9,"error":{"code":-32602' },
      ),
    ),
    mustNot(
      "4",
      "a member that is not known makes a message invalid",
      posts({ message: { ...request("ping"), more: 1 } }, { status: 200 }),
    ),
    must(
      "6",
      "a batch is answered with a list",
      posts({ message: [request("ping"), request("ping", undefined, 2)] }, error(-32600, 400)),
      "A batch is refused as a whole. MCP has no batches since 2025-06-18, and a batch would pass the limits of calls.",
    ),
    must("6", "an empty list is an invalid request", posts({ message: [] }, error(-32600, 400))),
    should(
      "8",
      "method names that begin with rpc. are reserved: none is served",
      legacy("rpc.discover", undefined, error(-32601)),
    ),
  ],
};
