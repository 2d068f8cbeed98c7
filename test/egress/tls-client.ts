// Runs calls, one after the other, in a process of its own: `bun tls-client.ts '[{"url": …}]'`. Prints the answers.
import { EgressError, proxyFromEnvironment, readJson } from "../../src/egress";
import { egressWith } from "./peers";

export interface Call {
  url: string;
  /** Port of a proxy on loopback. */
  proxy?: number;
  streams?: true;
}

export type Answer = { body: unknown } | { reason: string; maybeSent: boolean; message?: string };

async function answerOf({ url, proxy, ...request }: Call): Promise<Answer> {
  const egress = egressWith({
    allow: ["loopback", ".example"],
    resolve: () => Promise.resolve(["127.0.0.1"]),
    proxy: proxyFromEnvironment(proxy === undefined ? {} : { HTTPS_PROXY: `http://127.0.0.1:${proxy}` }),
  });
  try {
    return { body: await readJson(await egress.fetch(url, request)) };
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    const { reason, maybeSent, message } = thrown;
    return { reason, maybeSent, message };
  }
}

const calls: Call[] = JSON.parse(process.argv[2] ?? "[]");
const answers: Answer[] = [];
for (const call of calls) answers.push(await answerOf(call));
console.log(JSON.stringify(answers));
