// `runtime api`: any request to the server, for operations without a command.
import { closedList } from "../../src/base/closed-list";
import type { Server } from "../client/http";
import { addressOf, keyOf } from "../client/target";
import { type Common, verb } from "../command";
import { EXIT, exitCodeOf, UsageError } from "../errors";
import type { Io } from "../io";
import { print } from "../output";
import { printable, printableLines } from "../printable";
import { loadCommonConfig } from "../session";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export const verbs = [
  verb({
    usage: "api <method> <path>",
    summary:
      "Send a request and print the response. Without --server it goes to the server that runs on the data folder. " +
      "The key comes from --key-file or RUNTIME_API_KEY.",
    examples: [
      "runtime api GET /v1/health",
      "runtime api GET '/v1/tools?toolkit=Chat&limit=2'",
      "runtime api POST /v1/tools/requirements --input request.json",
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
  const server = await serverFor(io, common);
  const answer = await server.raw(method, path, body, Object.fromEntries(headers));
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

async function serverFor(io: Io, common: Common): Promise<Server> {
  const config = await loadCommonConfig(io, common);
  const address = addressOf(common, config) ?? (await runningServer(io, common));
  const key = await keyOf(io, common, config, address);
  const { serverAt } = await import("../client/http");
  return serverAt({ address, key }, (common.timeout ?? 120) * 1000, config);
}

async function runningServer(io: Io, common: Common): Promise<string> {
  const { withSession } = await import("../session");
  const running = await withSession(io, common, (session) => session.server());
  if (running !== undefined) return running.address;
  throw new UsageError(
    "No server is running on the data folder. Start one (runtime serve), or use --server URL.",
  );
}

async function exitOf(status: number, text: string): Promise<number> {
  const { RuntimeError } = await import("../../src/errors");
  const { errorNameOf } = await import("../client/http");
  const value = jsonIn(text);
  const name = typeof value === "object" && value !== null && "name" in value ? String(value.name) : "";
  return exitCodeOf(new RuntimeError(errorNameOf(name, status), status, ""));
}
