// A pre hook: restricts chat tools that change something to the listed channels.
//
//   ALLOWED_CHANNELS=general,C024BE91L WEBHOOK_SECRET=whsec_… bun examples/hooks/deny-by-channel.ts
import { receive, type Receiver, type ReceiverOptions } from "./receive";

/** The fields of the request that this policy uses. */
interface PreRequest {
  tool: { toolkit: string; name: string; metadata?: { behavior?: { read_only?: boolean } } };
  inputs: { channel_name?: unknown; conversation_id?: unknown };
}

/** `allowed`: names of channels, or ids of conversations. */
export function denyByChannel(allowed: readonly string[], { tool, inputs }: PreRequest): object {
  const reads = tool.metadata?.behavior?.read_only === true;
  if (tool.toolkit !== "Chat" || reads) return { code: "OK" };
  // A direct message has neither of them, so it is denied.
  const place = inputs.channel_name ?? inputs.conversation_id;
  if (typeof place === "string" && allowed.includes(place.replace(/^#/, ""))) return { code: "OK" };
  const rule = allowed.length === 0 ? "not be used in any channel" : `be used in ${allowed.join(", ")} only`;
  return { code: "CHECK_FAILED", error_message: `${tool.name} may ${rule}` };
}

export function startDenyByChannel(options: ReceiverOptions & { allowed: readonly string[] }): Receiver {
  // The signature has been verified, so the request has this form.
  return receive(options, { pre: (request) => denyByChannel(options.allowed, request as PreRequest) });
}

if (import.meta.main) {
  const { url } = startDenyByChannel({
    port: Number(process.env["PORT"] ?? 4020),
    secret: process.env["WEBHOOK_SECRET"],
    allowed: (process.env["ALLOWED_CHANNELS"] ?? "").split(",").filter(Boolean),
  });
  process.stdout.write(`${url}\n`);
}
