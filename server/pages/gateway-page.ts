// The address of a gateway in a browser: what it is, which consents the person still needs, and how clients are connected.
// Strangers see nothing that they could not know before: a gateway has answered them without a page as well, and its metadata,
// if it has any, contains its name.
import { RuntimeError } from "../../src/errors";
import { type Gateway, KEY_AND_USER } from "../../src/gateways";
import type { Entry } from "../../src/gateways/client-formats";
import { connectCommands, fileEntries, installLinks, jsonEntry } from "../../src/gateways/client-links";
import type { ResourceMetadata } from "../../src/mcp";
import { ownerOf } from "../../src/person-overview";
import { type SignedIn, signInPath } from "../../src/people";
import type { Runtime } from "../../src/runtime";
import type { Front, Incoming } from "../front";
import { scopeList } from "./consent-text";
import { type GatewayNeed, needsAt } from "./gateway-needs";
import { escape, shown } from "./html";
import { mePath, personOf } from "./me";
import { buttonForm, type Forms, personalPage } from "./me-forms";
import { localPath } from "./sign-in-address";
import { signedIn } from "./signed-in";

const KEY_VARIABLE = "RUNTIME_API_KEY";
/** In place of the user, for people who are not signed in. */
const SOMEBODY = "YOUR-USER-ID";
const WITH_KEY =
  `<p>Clients send an API key, which they take from the variable <code>${KEY_VARIABLE}</code> or ask for. ` +
  "An administrator creates it for you: <code>runtime keys create NAME --role run --user USER</code>.</p>";
const WITH_SIGN_IN =
  "<p>The address is all that a client needs: it opens a browser in which you sign in.</p>";
const WITHOUT_ISSUER =
  "<p>Clients need a user token, and this server cannot say at the moment where they get one. Ask its administrator.</p>";
const HEADERS = { vary: "accept, cookie" };

/** GET /mcp/{slug} of a browser. Undefined for an unknown or inactive gateway. Throws `rate_limited`. */
export async function gatewayPage(front: Front, incoming: Incoming): Promise<Response | undefined> {
  const { runtime, rateLimit } = front;
  const { params, request } = incoming;
  const gateway = await runtime.gateways.serving(params["slug"] ?? "");
  if (gateway === undefined) return undefined;
  const person = await signedIn(front, incoming, gateway.projectId);
  const metadata = await metadataOf(runtime, gateway, request.headers.get("host") ?? undefined);
  const address = metadata?.resource ?? runtime.gateways.addressOf(gateway);
  const connect = connecting(gateway, { url: address, hasIssuer: metadata !== undefined }, person);
  const title = metadata === undefined ? "An MCP gateway" : gateway.name;
  if (person === undefined) {
    const body = WHAT_IT_IS + (await signInLink(runtime, gateway)) + connect;
    return personalPage(200, title, body, HEADERS);
  }
  rateLimit?.take(ownerOf(personOf(person, incoming)));
  if (!(await runtime.mcp.access.isAllowed(gateway, person)))
    return personalPage(200, title, WHAT_IT_IS + notInGroup(person), HEADERS);
  const body = (await forPerson(front, incoming, gateway, person)) + connect;
  return personalPage(200, gateway.name, body, HEADERS);
}

const WHAT_IT_IS =
  "<p>This is the address of an MCP server. Programs connect to it and call tools for the people who use them.</p>";

async function forPerson(
  { runtime }: Front,
  incoming: Incoming,
  gateway: Gateway,
  person: SignedIn,
): Promise<string> {
  const { projectId, userId, formToken } = person;
  const [{ tools, toolkits, needs }, project] = await Promise.all([
    needsAt(runtime, gateway, personOf(person, incoming)),
    runtime.identity.projects.nameOf(projectId),
  ]);
  const me = localPath(runtime, mePath(projectId));
  const forms: Forms = { action: me, token: formToken };
  return (
    WHAT_IT_IS +
    (gateway.description === undefined ? "" : `<p>${shown(gateway.description)}</p>`) +
    `<dl><dt>Project</dt><dd>${shown(project ?? projectId)}</dd>` +
    `<dt>Tools for you</dt><dd>${count(tools, "tool")} of ${count(toolkits, "toolkit")}</dd>` +
    `<dt>You are</dt><dd>${shown(userId)} <small><a href="${escape(me)}">What acts for you</a></small></dd></dl>` +
    `<section aria-labelledby="consents"><h2 id="consents">Your consents</h2>${consents(needs, gateway, forms)}</section>`
  );
}

function notInGroup({ userId }: SignedIn): string {
  return (
    `<p>Only members of certain groups may use it, and you, <b>${shown(userId)}</b>, are in none of them. ` +
    "If that has changed, sign in again.</p>"
  );
}

function consents(needs: readonly GatewayNeed[], { slug }: Gateway, forms: Forms): string {
  if (needs.length === 0) return "<p>These tools need no consent.</p>";
  const cards = needs.map((need) => {
    const { key, name, missing } = need;
    const title = `<h3>${shown(name)}</h3>`;
    if (!need.isConfigured) return `${title}<p>An administrator must set it up first.</p>`;
    if (need.met) return `${title}<p>Done: nothing is missing.</p>`;
    const fields = { action: "consent", gateway: slug, provider: key };
    if (need.takesKey)
      return `${title}<p>Tools need your own key.</p>${buttonForm(forms, fields, `Enter your key for ${name}`, true)}`;
    const words = { provider: name, scopeWords: need.scopeWords };
    return (
      `${title}<p>Missing:</p>${scopeList(missing, words)}` +
      buttonForm(forms, fields, `Give consent at ${name}`, true)
    );
  });
  return `<ul class="cards">${cards.map((card) => `<li>${card}</li>`).join("")}</ul>`;
}

async function signInLink(runtime: Runtime, { projectId, slug }: Gateway): Promise<string> {
  if ((await runtime.people.methodOf(projectId)) === "none") return "";
  const address = localPath(runtime, signInPath(projectId, `/mcp/${slug}`));
  return `<p><a class="button" href="${escape(address)}">Sign in to see your tools and consents</a></p>`;
}

function connecting(
  gateway: Gateway,
  { url, hasIssuer }: { url: string; hasIssuer: boolean },
  person: SignedIn | undefined,
): string {
  const needsKey = gateway.authType === KEY_AND_USER;
  const user = person?.userId ?? SOMEBODY;
  const entry: Entry = {
    name: gateway.slug,
    url,
    key: needsKey ? { variable: KEY_VARIABLE, user } : undefined,
    command: [],
  };
  const how = needsKey ? WITH_KEY : hasIssuer ? WITH_SIGN_IN : WITHOUT_ISSUER;
  const links = installLinks(entry).map(
    ({ client, href }) => `<a class="button" href="${escape(href)}">Install in ${client}</a>`,
  );
  const commands = connectCommands(entry).map(
    ({ client, command }) => `<h3>${client}</h3><pre tabindex="0">${shown(command)}</pre>`,
  );
  const files = fileEntries(entry).map(
    ({ client, file, text }) =>
      `<details><summary>${client}: <code>${shown(file)}</code></summary><pre tabindex="0">${jsonHtml(text)}</pre></details>`,
  );
  return (
    '<section aria-labelledby="connect"><h2 id="connect">Connect a client</h2>' +
    `<dl><dt>Address</dt><dd>${shown(url)}</dd></dl>${how}<p>${links.join("")}</p>${commands.join("")}` +
    files.join("") +
    `<h3>Other clients</h3><pre tabindex="0">${jsonHtml(jsonEntry(entry))}</pre></section>`
  );
}

/** Line by line, because hidden characters are made visible, and line ends are among them. */
function jsonHtml(text: string): string {
  return text
    .split("\n")
    .map((line) => shown(line))
    .join("\n");
}

/** Undefined where strangers get none: at a gateway that takes API keys, and while its issuer is unknown. */
async function metadataOf(
  { mcp }: Runtime,
  gateway: Gateway,
  host: string | undefined,
): Promise<ResourceMetadata | undefined> {
  try {
    return await mcp.access.metadata(gateway, host);
  } catch (error) {
    if (error instanceof RuntimeError && error.status === 503) return undefined;
    throw error;
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
