// Faults that users of such gateways reported, each with the tests that keep it away. What is about upstream MCP servers
// waits until there are any (docs/decisions.md). A test that is renamed or removed must take its row along, and no case
// may be missing.
import { type FieldCase, testFieldCases } from "../support/field-cases";

const CASES = ["F028", "F031", "F032", "F033", "F035", "F037", "F038", "F098", "F099"];

const ROWS: readonly FieldCase[] = [
  [
    "F028",
    "names with dots are refused by model APIs",
    [
      [
        "tools/formats.test.ts",
        "has a name that vendors take, unique, that leads back to it in any case (F028)",
      ],
      ["mcp/tools.test.ts", "has a name that models can use, and by it its own tool is called"],
    ],
  ],
  [
    "F031",
    "after a restart the old session id is an opaque error",
    [
      ["mcp/sessions.test.ts", "still works at another process of the deployment, and after a restart"],
      ["mcp/sessions.test.ts", "that is %s is 404"],
      ["mcp/sessions.test.ts", "of another user or key is 404"],
      ["mcp/sessions.test.ts", "work without any id"],
      ["mcp/sessions.test.ts", "initialize with the id of a session that is gone"],
    ],
  ],
  [
    "F032",
    "an unknown revision, or none in the header, is refused",
    [
      ["mcp/sessions.test.ts", "initialize for revision %p gets %s"],
      ["mcp/sessions.test.ts", "with the header MCP-Protocol-Version %p are 400"],
      ["mcp/sessions.test.ts", "work without any id"],
    ],
  ],
  [
    "F033",
    "notifications get a body",
    [
      ["mcp/sessions.test.ts", "%s gets 202 and an empty body"],
      ["mcp/sessions.test.ts", "a request whose id is null"],
    ],
  ],
  [
    "F035",
    "a long call sends no bytes and is cut",
    [
      ["mcp/slow-calls.test.ts", "becomes a stream with signs of life, and its result comes once"],
      ["mcp/slow-calls.test.ts", "when its client hangs up %s the stream has begun"],
      ["long/mcp-slow-call.long.ts", "arrives once, as a stream with signs of life or as one answer"],
    ],
  ],
  [
    "F037",
    "only the first page, or a cursor that never moves",
    [
      ["mcp/tools.test.ts", "has all tools of the deployment, on pages, in one order, each once"],
      ["mcp/tools.test.ts", "with the cursor %p is refused"],
    ],
  ],
  [
    "F038",
    "one broken schema takes the list down",
    [["mcp/tools.test.ts", "leaves out a tool that cannot be shown, and no other"]],
  ],
  [
    "F098",
    "very large results are cut in the middle or passed whole",
    [
      ["mcp/large-results.test.ts", "is cut, still JSON of its form, and says so to model and program"],
      ["mcp/large-results.test.ts", "keeps whole characters at the cut"],
      ["mcp/large-results.test.ts", "of 30 MB is cut too"],
      ["mcp/large-results.test.ts", "is whole over the API: only MCP clients have the limit"],
    ],
  ],
  [
    "F099",
    "a slug is free for the check and taken for creation, or both racers win",
    [
      [
        "processes/gateway-slugs.test.ts",
        "of 20 creations of one slug over two processes one is 201 and 19 are 409",
      ],
      ["server/gateways.test.ts", "%p: the check is %d, creation %d"],
      ["server/gateways.test.ts", "are of the whole server: taken in one project, taken in all"],
      ["server/gateways.test.ts", "are free again once their gateway is deleted"],
    ],
  ],
];

testFieldCases(CASES, ROWS);
