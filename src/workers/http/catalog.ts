// Reads the answer to a request for the catalog. A tool that breaks a rule is left out with its reason; the others stay.
import { type Json, memberText, parseJson } from "../../base";
import { cleanDescription } from "../foreign";
import { type LoadedWorker, type ReadCatalog, type Skipped, WorkerFailure, type WorkerTool } from "../tool";
import { shownName, toolFrom } from "./definition";
import { entryTexts } from "./list-text";

export const MOST_BYTES = 10 * 1024 * 1024;
export const MOST_TOOLS = 5000;
/** Characters of a definition, in which the schemas may have 256 KB each. */
const MOST_DEFINITION = 600_000;
/** Characters of a reason, which may repeat names of the worker. */
const MOST_REASON = 500;
/** So many tools are read in one go. The event loop then serves others. */
const AT_ONCE = 25;

/** Throws `WorkerFailure`. */
export async function catalogFrom(worker: LoadedWorker, text: string): Promise<ReadCatalog> {
  const entries = entryTexts(text, MOST_TOOLS);
  if (entries === undefined)
    throw new WorkerFailure(
      "protocol",
      `The worker ${worker.id} answers a request for its tools with something other than a JSON list. Check its address.`,
    );
  if (entries.length > MOST_TOOLS)
    throw new WorkerFailure("too_large", `The worker ${worker.id} lists more than ${MOST_TOOLS} tools.`);
  const reading = new Reading(worker);
  for (const [index, entry] of entries.entries()) {
    reading.add(entry);
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return { tools: reading.tools, skipped: reading.skipped };
}

class Reading {
  readonly tools: WorkerTool[] = [];
  readonly skipped: Skipped[] = [];
  readonly #worker: LoadedWorker;
  readonly #known = new Set<string>();
  readonly #spelled = new Map<string, string>();

  constructor(worker: LoadedWorker) {
    this.#worker = worker;
  }

  add(text: string): void {
    if (text.length > MOST_DEFINITION) {
      this.#skip(nameIn(text), `its definition has more than ${MOST_DEFINITION} characters`);
      return;
    }
    let given: unknown;
    try {
      given = parseJson(text);
    } catch {
      this.#skip(nameIn(text), "its definition is not JSON, or is nested more than 1,000 levels deep");
      return;
    }
    const name = shownName(given);
    const notes: string[] = [];
    const tool = toolFrom(given, (reason) => notes.push(reason));
    const reason = typeof tool === "string" ? tool : this.#refusal(tool);
    if (reason !== undefined || typeof tool === "string") {
      this.#skip(name, reason ?? "");
      return;
    }
    this.tools.push(tool);
    if (notes.length > 0) this.#skip(name, notes.join("; "));
  }

  #refusal(tool: WorkerTool): string | undefined {
    if (tool.authorization !== undefined && !this.#worker.sendTokens)
      return "it needs a user's authorization, and the worker must not receive tokens (send_tokens is false)";
    const { name = this.#worker.toolkit, version = "" } = tool.toolkit ?? {};
    if (this.#isSpelledOtherwise(name) || this.#isSpelledOtherwise(`${name}.${tool.name}`))
      return "the catalog has another tool whose name differs only in case";
    const key = `${name}.${tool.name}@${version}`;
    if (this.#known.has(key)) return "the catalog has two tools with this name and version";
    this.#known.add(key);
    return undefined;
  }

  /** Names are found in any case, so the first spelling counts. */
  #isSpelledOtherwise(name: string): boolean {
    const key = name.toLowerCase();
    const first = this.#spelled.get(key);
    if (first === undefined) this.#spelled.set(key, name);
    return first !== undefined && first !== name;
  }

  #skip(name: string, reason: string): void {
    this.skipped.push({ name, reason: cleanDescription(reason).slice(0, MOST_REASON) });
  }
}

/** The name of a tool whose definition cannot be parsed as a whole. */
function nameIn(text: string): string {
  try {
    const part = (...path: string[]): Json => parseJson(memberText(text, ...path) ?? "null");
    return shownName({ name: part("name"), toolkit: { name: part("toolkit", "name") } });
  } catch {
    return shownName(undefined);
  }
}
