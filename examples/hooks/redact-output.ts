// A post hook: replaces e-mail addresses in results with `[email]` before a caller or model sees them.
//
//   WEBHOOK_SECRET=whsec_… bun examples/hooks/redact-output.ts
import { receive, type Receiver, type ReceiverOptions } from "./receive";

const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** The fields of the request that this hook uses. */
interface PostRequest {
  success: boolean;
  output: unknown;
  execution_error?: string;
}

export function redactOutput({ success, output, execution_error: error }: PostRequest): object {
  // A hook cannot replace the message of a failure, only withhold it.
  if (!success) {
    if (error === undefined || error === redacted(error)) return { code: "OK" };
    return {
      code: "CHECK_FAILED",
      error_message: "the tool failed, and its message contains an e-mail address",
    };
  }
  const clean = redacted(output);
  return JSON.stringify(clean) === JSON.stringify(output)
    ? { code: "OK" }
    : { code: "OK", override: { output: clean } };
}

/** The value with all strings redacted, including names of fields. */
function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(EMAIL, "[email]");
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(redacted(key)), redacted(inner)]),
  );
}

export function startRedactOutput(options: ReceiverOptions): Receiver {
  return receive(options, { post: (request) => redactOutput(request as PostRequest) });
}

if (import.meta.main) {
  const { url } = startRedactOutput({
    port: Number(process.env["PORT"] ?? 4021),
    secret: process.env["WEBHOOK_SECRET"],
  });
  process.stdout.write(`${url}\n`);
}
