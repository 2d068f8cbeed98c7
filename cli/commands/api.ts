// `runtime api`: any request to the server, for operations without a command.
import { closedList } from "../../src/base/closed-list";
import type { Config } from "../../src/config";
import { checkDataFolder } from "../client/client";
import type { Answer } from "../client/http";
import { addressOf, credentialOf } from "../client/target";
import { type Common, verb } from "../command";
import { EXIT, exitCodeOf, UsageError } from "../errors";
import type { Io } from "../io";
import { print } from "../output";
import { printable, printableLines } from "../printable";
import { loadCommonConfig, type Session, withSession } from "../session";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export const verbs = [
  verb({
    usage: "api <method> <path>",
    summary:
      "Send a request and print the response. On the data folder it needs neither a server nor a key; with a key " +
      "(--key-file, RUNTIME_API_KEY) it goes to the server that runs there, with the permissions of the key.",
    examples: [
      "runtime api GET /v1/health",
      "runtime api GET '/v1/tools?toolkit=Chat&limit=2'",
      `runtime api POST /v1/tools/requirements --input '{"tool_names":["Chat.WhoAmI"],"user_id":"alice"}'`,
    ],
    flags: [
      { flag: "--input <json>", meaning: "body: JSON, a file with it, or - for standard input" },
      { flag: "--header <header>", meaning: "a header (`Name: value`); may be repeated", repeat: true },
      { flag: "-i, --include", meaning: "print status and headers first" },
    ],
    read: (line) => ({
      method: line.word(0).toUpperCase(),
      path: line.word(1),
      input: line.text("input"),
      headers: (line.texts("header") ?? []).map(headerOf),
      include: line.has("include"),
    }),
    run: send,
  }),
];

interface Send {
  method: string;
  path: string;
  input: string | undefined;
  headers: [string, string][];
  include: boolean;
}

async function send(io: Io, common: Common, request: Send): Promise<number> {
  const { method, path, input, headers, include } = request;
  if (!METHODS.includes(method)) throw new UsageError(`The method ${closedList(METHODS, method)}.`);
  if (!path.startsWith("/")) throw new UsageError("The path must begin with /, for example /v1/tools.");
  const body = input === undefined ? undefined : await bodyFrom(io, input);
  const answer = await answerTo(io, common, { method, path, body, headers: Object.fromEntries(headers) });
  if (include) {
    const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
    io.out([`HTTP ${answer.status}`, ...lines, ""].map((line) => `${printable(line)}\n`).join(""));
  }
  printText(io, common, answer.text);
  if (answer.status < 400) return EXIT.ok;
  io.note(`error: the server answered ${answer.status}`);
  return exitOf(answer.status, answer.text);
}

// Unchanged in a pipe. At a terminal JSON is indented, and control characters are escaped.
function printText(io: Io, { output }: Common, text: string): void {
  const value = jsonIn(text);
  if (value !== undefined && (output !== "table" || io.columns !== undefined)) {
    const format = output === "table" || output === "name" ? "json" : output;
    return print(io, format, value, () => "");
  }
  io.out(io.columns === undefined ? text : `${printableLines(text)}\n`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function bodyFrom(io: Io, input: string): Promise<string> {
  const { readJsonFlag } = await import("../input");
  return JSON.stringify(await readJsonFlag(io, input, "--input"));
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(":");
  const name = text.slice(0, Math.max(0, at));
  const value = text.slice(at + 1).trimStart();
  if (!/^[\w-]+$/.test(name) || /[\r\n]/.test(value))
    throw new UsageError("--header takes `Name: value`, for example 'Idempotency-Key: 1'.");
  if (name.toLowerCase() === "authorization")
    throw new UsageError("Do not pass the key as an argument. Use --key-file or RUNTIME_API_KEY.");
  return [name, value];
}

interface Sent {
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

async function answerTo(io: Io, common: Common, request: Sent): Promise<Answer> {
  // A line about its own request would only repeat what the command prints.
  const config = await loadCommonConfig(io, common, { flags: { "log.access": "false" } });
  const configured = addressOf(common, config);
  if (configured !== undefined) return answerOfServer(io, common, config, configured, request);
  checkDataFolder(common, config);
  return withSession(
    io,
    common,
    async (session) => {
      if (common.keyFile === undefined && config.apiKey === undefined) return answerHere(session, request);
      const running = await session.server();
      if (running !== undefined) return answerOfServer(io, common, config, running.address, request);
      throw new UsageError(
        "No server is running on the data folder. Leave out the key to send the request without one, start a server " +
          "(runtime serve), or use --server URL.",
      );
    },
    { config },
  );
}

async function answerOfServer(
  io: Io,
  common: Common,
  config: Config,
  address: string,
  { method, path, body, headers }: Sent,
): Promise<Answer> {
  const credential = (await credentialOf(io, common, config, address)) ?? { key: undefined };
  const { serverAt } = await import("../client/http");
  return serverAt({ address, ...credential }, (common.timeout ?? 120) * 1000, config).raw(
    method,
    path,
    body,
    headers,
  );
}

/** The operator's request, answered in this process. */
async function answerHere(session: Session, { method, path, body, headers }: Sent): Promise<Answer> {
  const { answerLocally } = await import("../serve");
  // What an HTTP client adds.
  const length = String(new TextEncoder().encode(body).byteLength);
  const json = body === undefined ? {} : { "content-type": "application/json", "content-length": length };
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { accept: "application/json", ...json, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const response = await answerLocally(session, request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function exitOf(status: number, text: string): Promise<number> {
  const { RuntimeError } = await import("../../src/errors");
  const { errorNameOf } = await import("../client/http");
  const value = jsonIn(text);
  const name = typeof value === "object" && value !== null && "name" in value ? String(value.name) : "";
  return exitCodeOf(new RuntimeError(errorNameOf(name, status), status, ""));
}
