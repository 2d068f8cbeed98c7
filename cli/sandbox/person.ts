// A person of the sandbox who consents to everything at the first start, so that tools run at once: the same pages, answered
// as in a browser.
import type { AuthProviderCreate } from "../../src/providers";
import type { Runtime } from "../../src/runtime";
import { plainFetch } from "../plain-fetch";
import type { Session } from "../session";

/** A consent has four pages at most, and as many redirects. */
const MOST_STEPS = 12;
const PATIENCE_MS = 30_000;

/** Grants the scopes of all tools. `person`: the name on the consent pages, and the user. */
export async function consentToAll(
  { runtime, principal }: Session,
  providers: readonly AuthProviderCreate[],
  person: string,
): Promise<void> {
  for (const { id, provider_id } of providers) {
    const scopes = scopesOf(runtime, provider_id ?? id);
    const requirement = { id, oauth2: { scopes } };
    const { url } = await runtime.authorization.authorize(principal, {
      user_id: person,
      auth_requirement: requirement,
    });
    if (url !== undefined) await answerPages(url, person);
  }
}

function scopesOf({ extensions }: Runtime, provider: string): string[] {
  const tools = extensions.catalogs.flatMap((catalog) => catalog.tools);
  const needed = tools.flatMap(({ authorization }) =>
    authorization?.provider === provider ? authorization.scopes : [],
  );
  return [...new Set(needed)];
}

interface Step {
  address: string;
  form?: URLSearchParams;
}

async function answerPages(address: string, person: string): Promise<void> {
  const jars = new Map<string, Map<string, string>>();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let step: Step | undefined = { address };
  for (let count = 0; step !== undefined && count < MOST_STEPS; count++)
    step = await next(jars, step, { person, signal });
}

async function next(
  jars: Map<string, Map<string, string>>,
  { address, form }: Step,
  { person, signal }: { person: string; signal: AbortSignal },
): Promise<Step | undefined> {
  const { origin } = new URL(address);
  const jar = jars.get(origin) ?? new Map<string, string>();
  jars.set(origin, jar);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await plainFetch(address, {
    method: form === undefined ? "GET" : "POST",
    headers: {
      ...(cookie === "" ? {} : { cookie }),
      ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded", origin }),
    },
    ...(form === undefined ? {} : { body: form.toString() }),
    signal,
    bypassProxy: true,
  });
  for (const line of answer.headers.getSetCookie()) {
    const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split(/=(.*)/s);
    jar.set(name, value);
  }
  const location = answer.headers.get("location");
  if (location !== null) return { address: new URL(location, address).href };
  if (!answer.ok) throw new Error(`A page of the consent at ${origin} answered ${answer.status}.`);
  return answered(answer, address, person);
}

// A page of a platform asks for the account; the last one asks whether that is the user.
async function answered(page: Response, address: string, person: string): Promise<Step | undefined> {
  const form = new URLSearchParams();
  let action: string | undefined;
  let isPlatform = false;
  await new HTMLRewriter()
    .on("form", { element: (element) => void (action ??= decoded(element.getAttribute("action"))) })
    .on("form input[type=hidden]", {
      element: (element) =>
        form.append(decoded(element.getAttribute("name")), decoded(element.getAttribute("value"))),
    })
    .on("form button[name=user]", { element: () => void (isPlatform = true) })
    .transform(page)
    .text();
  if (action === undefined) return undefined;
  form.append(isPlatform ? "user" : "answer", isPlatform ? person : "yes");
  return { address: new URL(action, address).href, form };
}

/** The value of an attribute, with the five escapes of HTML decoded. */
function decoded(attribute: string | null): string {
  return (attribute ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll(/&#(?:x27|39);/g, "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
