// Why an address cannot be listened on, told apart.
import { configurationError, type RuntimeError } from "../src/errors";

const NO_PERMISSION = ["EACCES", "EPERM"];

/** One line for the operator, by the system's code in `error`. */
export function bindError(host: string, port: number, error: unknown): RuntimeError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const hint = "Choose another with --port (RUNTIME_PORT) or --host (RUNTIME_HOST).";
  return configurationError(`${host}:${port} ${reasonOf(code)}. ${hint}`, { cause: error });
}

function reasonOf(code: string): string {
  if (code === "EADDRINUSE") return "is in use by another program";
  if (NO_PERMISSION.includes(code)) return "cannot be listened on: no permission";
  return "is no address of this machine, or cannot be listened on";
}
