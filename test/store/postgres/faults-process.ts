// A server of the tests of faults: `bun faults-process.ts <url> <schema> <work>`. Writes and reads as several callers would
// and prints what each of them was told, one JSON value a line.
import { RuntimeError } from "../../../src/errors";
import { connectorOf } from "../../../src/store/postgres/connector";
import { openPostgres } from "../../../src/store/postgres/postgres";
import { disturbed } from "../../support/postgres/disturbed";
import { mark, MARKED, migrations } from "./faults-tables";

export interface Told {
  is: "ready" | "stored" | "refused" | "unknown" | "wrong" | "read" | "unread" | "frozen" | "closed";
  operation?: string;
  /** When it was asked, ms since the epoch. */
  asked?: number;
  /** For how long it took, ms. */
  took?: number;
  text?: string;
}

const CALLERS = 4;
const [url = "", schema = "", work = ""] = process.argv.slice(2);
const direct = connectorOf({
  url,
  preparedStatements: true,
  applicationName: `runtime faults ${process.pid}`,
});
const connector = disturbed(direct, (text, ask) => {
  const answer = ask();
  const place = text === "COMMIT" ? commitToFreeze : undefined;
  if (place !== undefined) commitToFreeze = undefined;
  // The client sends what it has when the turn ends.
  if (place === "commit") stop();
  else if (place === "answer") setImmediate(stop);
  return answer;
});
const store = openPostgres({ connector, schema, migrations, instance: crypto.randomUUID(), connections: 4 });

/** Where this process stops during a commit: before it is sent, or before its answer is read. */
let commitToFreeze: "commit" | "answer" | undefined;
let stopping = false;
let number = 0;
let newest = 0;

function tell(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

function refusal(error: unknown): Pick<Told, "is" | "text"> {
  const isExpected =
    error instanceof RuntimeError && error.name === "unavailable" && (error.retryAfterMs ?? 0) > 0;
  const text = error instanceof Error ? error.message : String(error);
  if (!isExpected) return { is: "wrong", text };
  return { is: text.includes("is not known") ? "unknown" : "refused", text };
}

async function write(): Promise<void> {
  const operation = `${process.pid}-${number++}`;
  const asked = Date.now();
  const before = newest;
  let result: Told;
  const started = performance.now();
  try {
    await store.write(() => mark(operation));
    result = { is: "stored", operation };
  } catch (error) {
    result = { ...refusal(error), operation };
  }
  tell({ ...result, asked, took: performance.now() - started });
  if (result.is === "stored") await read(operation, before);
}

/** What was just acknowledged is there, and the generation has changed. */
async function read(operation: string, before: number): Promise<void> {
  const asked = Date.now();
  const started = performance.now();
  try {
    const generation = await store.generation("keys");
    const found = await store.get(MARKED, operation);
    if (found === undefined) tell({ is: "wrong", text: `${operation} is acknowledged and not there` });
    if (generation <= before) tell({ is: "wrong", text: `generation ${generation} after ${before}` });
    newest = Math.max(newest, generation);
    tell({ is: "read", asked, took: performance.now() - started });
  } catch (error) {
    const { is, text } = refusal(error);
    tell({ is: is === "wrong" ? is : "unread", text: text ?? "", asked, took: performance.now() - started });
  }
}

async function caller(): Promise<void> {
  while (!stopping) {
    await write();
    await Bun.sleep(5);
  }
}

/** Stops this process until the test lets it go on. */
function stop(): void {
  tell({ is: "frozen" });
  process.kill(process.pid, "SIGSTOP");
}

/** Stops this process while its transaction has the lock. */
async function freeze(): Promise<void> {
  const operation = `${process.pid}-frozen-${number++}`;
  let isFrozen = false;
  const between = (): void => {
    if (isFrozen) return;
    isFrozen = true;
    stop();
  };
  const asked = Date.now();
  await store
    .write(() => mark(operation, between))
    .then(
      () => tell({ is: "stored", operation, asked }),
      (error: unknown) => tell({ ...refusal(error), operation, asked }),
    );
}

process.on("unhandledRejection", (error) => tell({ is: "wrong", text: `unhandled: ${String(error)}` }));
await store.ready();
tell({ is: "ready" });
const callers = Array.from({ length: CALLERS }, caller);
for await (const line of console) {
  if (line === "freeze body") void freeze();
  if (line === "freeze commit") commitToFreeze = "commit";
  if (line === "freeze answer") commitToFreeze = "answer";
  if (line === "stop") break;
}
stopping = true;
await Promise.all(callers);
await store.close();
tell({ is: "closed", text: work });
process.exit(0);
