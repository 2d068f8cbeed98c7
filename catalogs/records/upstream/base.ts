// The secret that holds the API's base. The routes bring their own path, so it is an origin and nothing more.
import { fatal } from "../../../src/tools";
import { DATA_CENTERS } from "../data-centers";

export const BASE_SECRET = "VENDOR_SERVER_URL";

/** Throws a `ToolError` for the operator. It does not repeat the value. */
export function requireBase(secrets: Readonly<Record<string, string>>): void {
  const problem = problemOf(secrets[BASE_SECRET] ?? "");
  if (problem === undefined) return;
  throw fatal(
    `The secret ${BASE_SECRET} ${problem}. It holds the API's base address in the data center of the users' ` +
      "accounts, such as https://www.zohoapis.com: scheme, host and, if need be, port.",
  );
}

function problemOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text.trim())) return "is not an absolute http or https address";
  if (url.username !== "" || url.password !== "") return "holds a user name or password";
  if (/[?#]/.test(text)) return "holds a query or fragment";
  if (/^\/+creator(\/|$)/i.test(url.pathname))
    return "must end before /creator: the tools bring the path themselves";
  if (url.pathname !== "/") return "must not hold a path";
  const center = DATA_CENTERS.find(({ web, accounts }) => url.origin === web || url.origin === accounts);
  return center === undefined
    ? undefined
    : `names a host that is not an API base; ${center.api} is the one meant`;
}
