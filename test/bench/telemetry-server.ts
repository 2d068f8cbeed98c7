// The server of `server.ts`, whose observers are switched while it runs: `bun test/bench/telemetry-server.ts UPSTREAM`. A line
// on standard input says what observes it from then on (`both`, `metrics`, `neither`). It answers each with the processor time
// that it has used so far, in microseconds, and the number of requests that have come.
import { extensions } from "../../catalogs";
import { startServer } from "../../server";
import { createRuntime } from "../../src/runtime";
import { CountedUse } from "../../src/store/use";
import { type Kind, type Start, Telemetry } from "../../src/telemetry";
import { loadConfig } from "../support/config";
import { benchCatalog } from "./catalog";

type Switch = (isOn: boolean) => void;

// Nothing in the product takes an observer away, so what sets one is listened to.
const switches: Record<"metrics" | "traces", Switch[]> = { metrics: [], traces: [] };
interceptSetter("meter", switches.metrics);
interceptSetter("tracer", switches.traces);
interceptStores(switches.metrics);
let requests = 0;
countRequests();

const all = { ...extensions, catalogs: [...extensions.catalogs, benchCatalog(process.argv[2] ?? "")] };
const runtime = await createRuntime(loadConfig({ environment: process.env }), all);
const server = await startServer(runtime);
process.once("SIGTERM", () => void end());
for await (const line of console) {
  for (const change of switches.metrics) change(line !== "neither");
  for (const change of switches.traces) change(line === "both");
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ micros: user + system, requests })}\n`);
}
await end();

async function end(): Promise<void> {
  await server.stop();
  await runtime.close();
  process.exit();
}

function interceptSetter(name: "meter" | "tracer", into: Switch[]): void {
  const set = Object.getOwnPropertyDescriptor(Telemetry.prototype, name)?.set;
  if (set === undefined) throw new Error(`Telemetry has no setter ${name}`);
  Object.defineProperty(Telemetry.prototype, name, {
    set(this: Telemetry, observer: unknown) {
      set.call(this, observer);
      into.push((isOn) => set.call(this, isOn ? observer : undefined));
    },
  });
}

function interceptStores(into: Switch[]): void {
  const { observe } = CountedUse.prototype;
  CountedUse.prototype.observe = function intercepted(observer) {
    observe.call(this, observer);
    into.push((isOn) => Reflect.apply(observe, this, [isOn ? observer : undefined]));
  };
}

function countRequests(): void {
  const { begin } = Telemetry.prototype;
  Telemetry.prototype.begin = function counted<K extends Kind>(this: Telemetry, kind: K, start: Start<K>) {
    if (kind === "request") requests++;
    return Reflect.apply(begin<K>, this, [kind, start]);
  };
}
