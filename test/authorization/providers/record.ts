// The record of the scripted provider, with what a test says differently.

type Fields = { readonly [field: string]: unknown };

export interface RecordChanges {
  /** Fields of the record itself. */
  readonly record?: Fields;
  /** Fields of `oauth2`; those of a request go over its default ones, null leaves a request or secret out. */
  readonly oauth2?: Fields;
}

export const SECRET = "a+b/c:d%e=";

/** Endpoints that begin with a slash are the scripted provider's. */
export function recordOf(url: string, { record = {}, oauth2 = {} }: RecordChanges = {}): Fields {
  const defaults: { readonly [field: string]: unknown } = {
    client_id: "cl:ient",
    client_secret: SECRET,
    authorize_request: { endpoint: "/authorize" },
    token_request: { endpoint: "/token" },
    refresh_request: { endpoint: "/refresh" },
  };
  const asked: { readonly [field: string]: Fields } = {
    user_info_request: {
      endpoint: "/user-info",
      triggers: { on_token_grant: true, on_token_refresh: false },
    },
    token_introspection_request: {
      endpoint: "/introspection",
      triggers: { on_token_grant: true, on_token_refresh: false },
    },
  };
  const fields = Object.keys({ ...defaults, ...oauth2 }).filter((name) => oauth2[name] !== null);
  const merged = fields.map((name): [string, unknown] => {
    const [before, change] = [defaults[name] ?? asked[name], oauth2[name]];
    if (!name.endsWith("_request")) return [name, change ?? before];
    return [name, placed(url, { ...(before as Fields), ...(change as Fields | undefined) })];
  });
  return { id: "idp", ...record, oauth2: Object.fromEntries(merged) };
}

function placed(url: string, request: Fields): Fields {
  const { endpoint } = request;
  return typeof endpoint === "string" && endpoint.startsWith("/")
    ? { ...request, endpoint: url + endpoint }
    : request;
}
