// A small MCP server over streamable HTTP (revision 2025-06-18), without sessions: notes to write and to read.

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

type Message = Readonly<Record<string, unknown>>;

export class Notes {
  readonly #notes: string[];
  readonly #changed: () => void;

  constructor(notes: readonly string[] | undefined, changed: () => void) {
    this.#notes = [...(notes ?? ["Water the plants."])];
    this.#changed = changed;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Answers a request to the address of the server. */
  async answer(request: Request): Promise<Response> {
    // Neither a stream of its own nor sessions.
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    const message: unknown = await request.json().catch(() => undefined);
    if (!isMessage(message)) return refusal(null, -32_700, "The body is not a JSON-RPC message.", 400);
    const { id, method, params } = message;
    // Notifications and answers.
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    return this.#result(id, String(method), isMessage(params) ? params : {});
  }

  #result(id: unknown, method: string, params: Message): Response {
    switch (method) {
      case "initialize": {
        const asked = String(params["protocolVersion"]);
        return result(id, {
          protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: "notes", title: "Notes", version: "1.0.0" },
        });
      }
      case "ping":
        return result(id, {});
      case "tools/list":
        return result(id, { tools: TOOLS });
      case "tools/call":
        return this.#call(
          id,
          String(params["name"]),
          isMessage(params["arguments"]) ? params["arguments"] : {},
        );
      default:
        return refusal(id, METHOD_NOT_FOUND, `Method not found: ${method}`);
    }
  }

  #call(id: unknown, name: string, { note }: Message): Response {
    if (name === "list_notes") return texts(id, this.#notes);
    if (name !== "add_note") return refusal(id, INVALID_PARAMS, `Unknown tool: ${name}`);
    if (typeof note !== "string" || note === "") return refusal(id, INVALID_PARAMS, "note must be a text.");
    this.#notes.push(note);
    this.#changed();
    return texts(id, [`Added. There are ${this.#notes.length} notes.`]);
  }
}

const TOOLS = [
  {
    name: "list_notes",
    description: "Lists all notes.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: "add_note",
    description: "Adds a note.",
    inputSchema: {
      type: "object",
      properties: { note: { type: "string", description: "The text of the note." } },
      required: ["note"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
];

function texts(id: unknown, lines: readonly string[]): Response {
  return result(id, { content: lines.map((text) => ({ type: "text", text })), isError: false });
}

function result(id: unknown, value: object): Response {
  return Response.json({ jsonrpc: "2.0", id, result: value });
}

function refusal(id: unknown, code: number, message: string, status = 200): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
