// A token that the platform does not take, although it is fresh: mostly it belongs to another data center.
import { GrantDead, type ToolContext, type ToolErrorDetails } from "../../../src/tools";
import { BASE_SECRET } from "./base";
import { TOKEN_REFUSED } from "./codes";

/**
 * The runtime answers it with one refresh and one repeat; what then remains is for the user, or for the operator whose
 * secret names another data center.
 */
export function tokenRefused(context: ToolContext, details: ToolErrorDetails): GrantDead {
  const message = `The platform does not accept the user's token: authorization required. ${hint(context)}`;
  const { extra, developerMessage } = details;
  return new GrantDead(String(TOKEN_REFUSED), message, {
    ...(extra === undefined ? {} : { extra }),
    ...(developerMessage === undefined ? {} : { developerMessage }),
  });
}

function hint({ grant, secrets }: ToolContext): string {
  const told = grant?.facts["api_domain"];
  const home = typeof told === "string" ? URL.parse(told)?.origin : undefined;
  const base = URL.parse(secrets[BASE_SECRET] ?? "")?.origin;
  if (home === undefined || home === base) {
    return `If authorizing again does not help, the account may live in another data center than ${BASE_SECRET} names.`;
  }
  return `The user's account lives in another data center than ${BASE_SECRET} names: there its token is not valid.`;
}
