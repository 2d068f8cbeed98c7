// An MCP server on standard input and output, for tests. It keeps notes in its memory and in a file of its working folder.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

type Message = { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown };

const say = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value: unknown): object => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const notes: string[] = [];
let greetings = 0;
/** Who gets an answer with a key must not learn the key. */
const markOf = (key = ""): string => new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 16);
const asked = new Map<string, (answer: unknown) => void>();

const any = { type: "object", properties: {}, additionalProperties: true };
const names = [
  "facts",
  "remember",
  "recall",
  "crash",
  "wait",
  "ask",
  "long",
  "shout",
  "progress",
  "changed",
  "abort",
];
const tools = names.map((name) => ({
  name,
  description: name,
  inputSchema: any,
  annotations: { readOnlyHint: name !== "crash" },
}));

async function call(name: string, input: Record<string, unknown>, token: unknown): Promise<object> {
  if (name === "facts")
    return text({
      pid: process.pid,
      key: markOf(process.env["NOTES_TOKEN"]),
      cwd: process.cwd(),
      env: process.env,
      greetings,
      argv: process.argv.slice(2),
    });
  if (name === "remember") {
    notes.push(String(input["note"]));
    appendFileSync("notes.txt", `${String(input["note"])}\n`);
    return text("kept");
  }
  if (name === "recall")
    return text({ memory: notes, file: existsSync("notes.txt") ? readFileSync("notes.txt", "utf8") : "" });
  if (name === "crash") process.exit(3);
  if (name === "wait") await Bun.sleep(Number(input["ms"]));
  if (name === "long") process.stdout.write(`${"x".repeat(Number(input["bytes"]))}\n`);
  if (name === "shout")
    for (let count = 0; count < 100; count++) console.error(`line ${count} ${process.env["NOTES_TOKEN"]}`);
  if (name === "changed") say({ method: "notifications/tools/list_changed" });
  if (name === "progress")
    say({ method: "notifications/progress", params: { progressToken: token, progress: 1, total: 2 } });
  if (name === "ask") {
    const id = `q${Math.random()}`;
    const answer = new Promise((resolve) => asked.set(id, resolve));
    const requestedSchema = { type: "object", properties: { word: { type: "string" } } };
    say({ id, method: "elicitation/create", params: { message: "Which word?", requestedSchema } });
    return text({ answer: await answer });
  }
  return text("done");
}

async function take({ id, method, params = {}, ...rest }: Message): Promise<void> {
  if (method === undefined) return asked.get(String(id))?.(rest);
  if (method === "notifications/initialized") greetings++;
  if (id === undefined) return;
  if (method === "initialize")
    return say({
      id,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "notes", version: "1.0.0" },
      },
    });
  if (method === "tools/list") return say({ id, result: { tools } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "Method not found" } });
  const {
    name,
    arguments: input = {},
    _meta,
  } = params as { name: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: unknown } };
  say({ id, result: await call(name, input, _meta?.progressToken) });
}

if (process.argv.includes("--broken")) {
  console.error(`it lacks something ${process.env["NOTES_TOKEN"] ?? ""}`);
  process.exit(7);
}
console.log("Notes server, ready"); // As many servers do.
for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line) as Message);
