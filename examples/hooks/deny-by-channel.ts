// A pre hook: chat tools that change something may do so in the channels on a list, and nowhere else.
//
//   ALLOWED_CHANNELS=general,C024BE91L WEBHOOK_SECRET=whsec_… bun examples/hooks/deny-by-channel.ts
import { receive, type Receiver, type ReceiverOptions } from "./receive";

/** As much of the question as this policy looks at. */
interface Question {
  tool: { toolkit: string; name: string; metadata?: { behavior?: { read_only?: boolean } } };
  inputs: { channel_name?: unknown; conversation_id?: unknown };
}

/** `allowed`: names of channels, or ids of conversations. */
export function denyByChannel(allowed: readonly string[], { tool, inputs }: Question): object {
  const reads = tool.metadata?.behavior?.read_only === true;
  if (tool.toolkit !== "Chat" || reads) return { code: "OK" };
  // One of them is given, or neither, when people are written to: those are on no list.
  const place = inputs.channel_name ?? inputs.conversation_id;
  if (typeof place === "string" && allowed.includes(place.replace(/^#/, ""))) return { code: "OK" };
  const list = allowed.length === 0 ? "no channel" : allowed.join(", ");
  return { code: "CHECK_FAILED", error_message: `${tool.name} may be used in ${list} only` };
}

export function startDenyByChannel(options: ReceiverOptions & { allowed: readonly string[] }): Receiver {
  // The question is `runtime`'s own, checked by its signature.
  return receive(options, { pre: (question) => denyByChannel(options.allowed, question as Question) });
}

if (import.meta.main) {
  const { url } = startDenyByChannel({
    port: Number(process.env["PORT"] ?? 4020),
    secret: process.env["WEBHOOK_SECRET"],
    allowed: (process.env["ALLOWED_CHANNELS"] ?? "").split(",").filter(Boolean),
  });
  process.stdout.write(`${url}\n`);
}
