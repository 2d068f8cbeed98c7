// The secret with the base of the API. Operations have full paths, so it is only an origin.
import { fatal } from "../../../src/tools";
import { DATA_CENTERS } from "../data-centers";

export const BASE_SECRET = "VENDOR_SERVER_URL";

/** Throws a `ToolError` for the operator, without the value. */
export function requireBase(secrets: Readonly<Record<string, string>>): void {
  const problem = problemOf(secrets[BASE_SECRET] ?? "");
  if (problem === undefined) return;
  throw fatal(
    `The secret ${BASE_SECRET} ${problem}. Set it to the API's base address in the data center of the users' ` +
      "accounts, such as https://www.zohoapis.com: scheme, host and, if necessary, port.",
  );
}

function problemOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text.trim())) return "is not an absolute http or https address";
  if (url.username !== "" || url.password !== "") return "contains a user name or password";
  if (/[?#]/.test(text)) return "contains a query or fragment";
  if (/^\/+creator(\/|$)/i.test(url.pathname)) return "must not contain /creator: the tools add the path";
  if (url.pathname !== "/") return "must not contain a path";
  const center = DATA_CENTERS.find(({ accounts }) => url.origin === accounts);
  return center === undefined ? undefined : `is not the address of an API; use ${center.api}`;
}
