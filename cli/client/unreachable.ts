// What went wrong if a server did not answer, and what to do.
import { RuntimeError } from "../../src/errors";
import { BodyTooLarge, BodyTooSlow } from "./body";

export const HINT = "Is this the address of a runtime server? See: runtime --help (--server)";

export function unreachable(address: string, timeoutMs: number, error: unknown): RuntimeError {
  if (error instanceof RuntimeError) return error;
  if (error instanceof BodyTooLarge) {
    const message = `${address} answered with more than ${error.mostBytes / 1024 / 1024} MiB. ${HINT}`;
    return new RuntimeError("unavailable", 502, message, { cause: error });
  }
  if (error instanceof BodyTooSlow) {
    const message = `${address} has sent nothing for ${error.idleMs / 1000} s. Run the command again.`;
    return new RuntimeError("gateway_timeout", 504, message, { cause: error, shouldRetry: true });
  }
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") {
    const message = `${address} did not answer within ${timeoutMs / 1000} s. Set a longer time with --timeout.`;
    return new RuntimeError("gateway_timeout", 504, message, { cause: error, shouldRetry: true });
  }
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const message = `${address} cannot be reached${code}. ${adviceOn(code)}`;
  return new RuntimeError("unavailable", 503, message, {
    cause: error,
    shouldRetry: !BAD_CERTIFICATE.test(code),
  });
}

const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH/;

function adviceOn(code: string): string {
  if (code.includes("ALTNAME") || code.includes("HOSTNAME_MISMATCH"))
    return "Its certificate is for another name. Use the name in the certificate.";
  if (BAD_CERTIFICATE.test(code))
    return "Its certificate is not trusted. Set RUNTIME_EGRESS_CA_FILE to the certificate of its authority.";
  return "Check the address and the network, and that the server is running.";
}
