// A process that sends a request with a time limit for each line of its input, and prints what came of it.
import { silentLog, systemClock } from "../../src/base";
import { createEgress, EgressError } from "../../src/egress";

const [url = "", timeoutMs] = process.argv.slice(2);
const egress = createEgress({
  allow: ["loopback"],
  timeoutMs: Number(timeoutMs),
  maxBytes: 1_000_000,
  log: silentLog,
  clock: systemClock,
});
console.log(`ready ${process.pid}`);
for await (const _line of console) {
  const answer = await egress.fetch(url, { method: "POST", body: "x" }).then(
    (response) => response.text(),
    (error: unknown) => (error instanceof EgressError ? error.reason : String(error)),
  );
  console.log(answer);
}
