// A post hook: e-mail addresses in what tools answer become `[email]`, before any caller or model sees them.
//
//   WEBHOOK_SECRET=whsec_… bun examples/hooks/redact-output.ts
import { receive, type Receiver, type ReceiverOptions } from "./receive";

const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** As much of the question as this hook looks at. */
interface Question {
  success: boolean;
  output: unknown;
  execution_error?: string;
}

export function redactOutput({ success, output, execution_error: error }: Question): object {
  // The text of a failure cannot be replaced, only be held back whole.
  if (!success) {
    if (error === undefined || error === redacted(error)) return { code: "OK" };
    return {
      code: "CHECK_FAILED",
      error_message: "the tool failed, and its message names an e-mail address",
    };
  }
  const clean = redacted(output);
  return JSON.stringify(clean) === JSON.stringify(output)
    ? { code: "OK" }
    : { code: "OK", override: { output: clean } };
}

/** The value with every text in it redacted, names of fields included. */
function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(EMAIL, "[email]");
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(redacted(key)), redacted(inner)]),
  );
}

export function startRedactOutput(options: ReceiverOptions): Receiver {
  return receive(options, { post: (question) => redactOutput(question as Question) });
}

if (import.meta.main) {
  const { url } = startRedactOutput({
    port: Number(process.env["PORT"] ?? 4021),
    secret: process.env["WEBHOOK_SECRET"],
  });
  process.stdout.write(`${url}\n`);
}
