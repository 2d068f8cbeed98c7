// What exists in the place of something that was not found: one more call, with a grant that allows it.
import { closedList, type ToolContext, ToolError } from "../../../src/tools";
import { exchange, jsonRequest } from "../../upstream/exchange";
import { nonEmptyTextIn, objectsIn } from "../../upstream/json";
import { RESERVE_MS } from "../limits";
import { type Operation, parameterWithRole } from "../operation";
import type { Role } from "../roles";
import { DONE, entryOf } from "./codes";

type Input = Readonly<Record<string, unknown>>;

/** Where the names of a role are listed. */
interface Lister {
  /** Without its prefix. */
  scope: string;
  /** Undefined if the input has no address to ask. */
  path(named: (role: Role) => string | undefined): string | undefined;
  list: string;
  key: string;
  /** Only these items of the list. */
  within?: readonly [key: string, role: Role];
}

const LISTERS: Readonly<Partial<Record<Role, Lister>>> = {
  owner: {
    scope: "dashboard.READ",
    path: () => "/creator/v2/meta/applications",
    list: "applications",
    key: "workspace_name",
  },
  application: {
    scope: "dashboard.READ",
    path: () => "/creator/v2/meta/applications",
    list: "applications",
    key: "link_name",
    within: ["workspace_name", "owner"],
  },
  form: { scope: "meta.application.READ", path: inApplication("forms"), list: "forms", key: "link_name" },
  report: {
    scope: "meta.application.READ",
    path: inApplication("reports"),
    list: "reports",
    key: "link_name",
  },
};

function inApplication(what: string): Lister["path"] {
  return (named) => {
    const [owner, application] = [named("owner"), named("application")];
    if (owner === undefined || application === undefined) return undefined;
    return `/creator/v2/meta/${encodeURIComponent(owner)}/${encodeURIComponent(application)}/${what}`;
  };
}

/**
 * The error with the names that exist and the one that is nearest to the given one, if it is about a name and the grant
 * allows the call that lists them; otherwise the error itself.
 */
export async function withAlternatives(
  error: unknown,
  operation: Operation,
  input: Input,
  context: ToolContext,
): Promise<unknown> {
  if (!(error instanceof ToolError) || error.constructor !== ToolError) return error;
  const role = entryOf(Number(error.details.extra?.["upstream_code"]))?.role;
  if (role === undefined || role === "criteria") return error;
  const parameter = parameterWithRole(operation, role);
  if (parameter === undefined) return error;
  const names = await namesOf(role, operation, input, context);
  if (names.length === 0) return error;
  // The only one is the nearest, however far it is.
  const only = names.length === 1 ? `must be one of ${names[0]} (nearest: ${names[0]})` : undefined;
  const rule = `\`${parameter}\` ${only ?? closedList(names, input[parameter])}.`;
  return new ToolError(
    error.kind,
    error.canRetry,
    `${error.message.replace(` Correct \`${parameter}\`.`, "")} ${rule}`,
    {
      ...error.details,
      fields: [],
      additionalPromptContent: `Correct \`${parameter}\` and call again.`,
      cause: error,
    },
  );
}

async function namesOf(
  role: Role,
  operation: Operation,
  input: Input,
  context: ToolContext,
): Promise<string[]> {
  const lister = LISTERS[role];
  const named = (of: Role): string | undefined => {
    const parameter = parameterWithRole(operation, of);
    return parameter === undefined ? undefined : String(input[parameter]);
  };
  const path = lister?.path(named);
  if (lister === undefined || path === undefined || !mayAsk(context, lister)) return [];
  try {
    const { body } = await exchange(context, "api", path, {
      ...jsonRequest(undefined),
      method: "GET",
      signal: context.signal,
    });
    if (body?.["code"] !== DONE) return [];
    const { within } = lister;
    const items = objectsIn(body, lister.list).filter(
      (item) => within === undefined || item[within[0]] === named(within[1]),
    );
    return [...new Set(items.flatMap((item) => nonEmptyTextIn(item, lister.key) ?? []))];
  } catch {
    // The first failure is the one to tell.
    return [];
  }
}

function mayAsk({ grant, deadline, now, signal }: ToolContext, { scope }: Lister): boolean {
  const isInTime = !signal.aborted && now() + RESERVE_MS < deadline;
  return isInTime && grant?.scopes.includes(`ZohoCreator.${scope}`) === true;
}
