// The library prints its warnings. The one about addresses of its requests does not hold here: `egress` sends them, and checks
// the addresses.
import fetchRequest from "oidc-provider/lib/helpers/fetch_request.js";

let isDone = false;

/** Lets the library find out, in silence, that it cannot check addresses itself. It does that before its first request. */
export function silenceAddressWarning(): void {
  if (isDone) return;
  isDone = true;
  const { warn } = console;
  console.warn = () => undefined;
  try {
    // Not a provider: the request fails after that step, before anything is sent.
    fetchRequest(undefined, "", {}).catch(() => undefined);
  } finally {
    console.warn = warn;
  }
}
