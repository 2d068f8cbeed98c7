// What calls depend on outside of this installation, for `runtime doctor`: servers of providers and their metadata, platforms
// of tools, model servers, the identity provider, the verifier, webhooks, and workers. Nothing is asked that a project does
// not use.
import { originsOf } from "./origins";
import { MAX_LIMIT } from "./base";
import { checkEndpoint, checkIssuer, type Finding, ok, problem, refused, warning } from "./checkup";
import type { Hook } from "./hooks";
import type { Principal } from "./identity";
import type { AuthProvider } from "./providers";
import type { Runtime } from "./runtime";
import { type AddressSecret, type Catalog, knownAddress } from "./tools";
import { checkWorkers } from "./worker-findings";

interface Dependency {
  check: string;
  address: string;
  /** The address is an issuer, whose metadata is read; the value names the setting or field that holds it. */
  issuerIn?: string;
}

/** The findings of all dependencies of a project. */
export async function checkDependencies(
  runtime: Runtime,
  principal: Principal,
  providers: readonly AuthProvider[],
): Promise<Finding[]> {
  const active = providers.filter(({ status }) => status === "active");
  const wanted = [
    ...(await Promise.all(active.map((provider) => ofProvider(runtime, principal, provider)))).flat(),
    ...ofPlatforms(runtime, active),
    ...(await ofModels(runtime, principal)),
    ...(await ofUsers(runtime, principal)),
    ...ofSettings(runtime),
  ];
  const found = await Promise.all([
    ...unique(wanted).map(({ check, address, issuerIn }) => {
      const options = { project: principal.projectId };
      return issuerIn === undefined
        ? checkEndpoint(runtime.core, check, address, options)
        : checkIssuer(runtime.core, check, address, { ...options, issuerIn });
    }),
    checkServerSecrets(runtime, principal, active),
    checkVerifier(runtime, principal),
    checkWebhooks(runtime, principal),
    checkUncalled(runtime, principal),
    checkWorkers(runtime, principal),
  ]);
  return found.flat();
}

/** All servers of a provider, with those that its preset names. */
async function ofProvider(
  { providers }: Runtime,
  { projectId }: Principal,
  { id, oauth2: ofRecord, api_key }: AuthProvider,
): Promise<Dependency[]> {
  const check = `provider ${id}`;
  if (api_key !== undefined) return originsOf(api_key.addresses ?? []).map((address) => ({ check, address }));
  const { oauth2 } = (await providers.find(projectId, id)) ?? {};
  const { authorize, token, refresh, userInfo, introspection, revoke } = oauth2 ?? {};
  const servers = [authorize, token, refresh, userInfo, introspection, revoke].flatMap((request) => {
    const address = originOf(request?.endpoint ?? "");
    return address === undefined ? [] : [{ check, address }];
  });
  const issuer = ofRecord?.issuer;
  return issuer === undefined ? servers : [...servers, { check, address: issuer, issuerIn: "oauth2.issuer" }];
}

/** The catalogs with tools that use one of the providers. */
function catalogsOf({ extensions }: Runtime, active: readonly AuthProvider[]): Catalog[] {
  const names = new Set(active.flatMap(({ id, provider_id }) => [id, provider_id]));
  return extensions.catalogs.filter(({ tools }) =>
    tools.some(({ authorization }) => names.has(authorization?.provider)),
  );
}

/** The platforms of tools that use one of the providers. */
function ofPlatforms(runtime: Runtime, active: readonly AuthProvider[]): Dependency[] {
  const settings: Readonly<Record<string, unknown>> = runtime.core.settings;
  return catalogsOf(runtime, active).flatMap(({ toolkit, bases }) =>
    Object.values(bases).flatMap(({ url, setting }) => {
      const set = setting === undefined ? undefined : settings[setting];
      const address = originOf(typeof set === "string" ? set : (url ?? ""));
      return address === undefined ? [] : [{ check: platformOf(toolkit), address }];
    }),
  );
}

function platformOf({ name }: Catalog["toolkit"]): string {
  return `platform of ${name}`;
}

/** The platforms whose address is in a secret of the project. */
async function checkServerSecrets(
  runtime: Runtime,
  principal: Principal,
  active: readonly AuthProvider[],
): Promise<Finding[]> {
  const found = catalogsOf(runtime, active).flatMap(({ toolkit, bases }) =>
    Object.values(bases).flatMap(({ secret }) =>
      secret === undefined ? [] : [checkServerSecret(runtime, principal, platformOf(toolkit), secret)],
    ),
  );
  return (await Promise.all(found)).flat();
}

async function checkServerSecret(
  { core, secrets }: Runtime,
  { projectId: project }: Principal,
  check: string,
  secret: AddressSecret,
): Promise<Finding[]> {
  const { name, origins } = secret;
  const fix = `Set it to one of ${origins.join(", ")}: runtime secrets set ${name}`;
  // A value that cannot be opened is among the findings of stored values.
  const value = await secrets.peek(project, name).catch(() => null);
  if (value === null) return [];
  if (value === undefined)
    return [problem(check, `Its tools need the secret ${name}, which is not set.`, fix)];
  const url = URL.parse(value);
  if (url === null) return [problem(check, `The secret ${name} is not an address.`, fix)];
  try {
    const { origin } = knownAddress(core.settings, secret, url);
    return await checkEndpoint(core, check, origin, { project });
  } catch (error) {
    return [refused(check, error)];
  }
}

/** The verifier of the project, which confirms users in their browsers. */
async function checkVerifier({ core, settings }: Runtime, principal: Principal): Promise<Finding[]> {
  const { verifier_url: address, unsafe_skip_verification: isSkipped } = await settings.get(principal);
  if (address === null || isSkipped) return [];
  const found = await checkEndpoint(core, "verifier", address, {
    project: principal.projectId,
    isPage: true,
  });
  return found.map((finding) => {
    if (finding.check !== "verifier" || finding.status === "ok") return finding;
    const fix = `${finding.fix} To change the address: runtime settings update --verifier-url URL`;
    return { ...finding, message: `${finding.message} Until it works, no consent can be completed.`, fix };
  });
}

async function ofModels({ models }: Runtime, principal: Principal): Promise<Dependency[]> {
  const entries = await models.list(principal);
  return entries.flatMap(({ id, base_url }) => {
    const address = originOf(base_url);
    return address === undefined ? [] : [{ check: `model server ${id}`, address }];
  });
}

/** The identity providers of customers whose tokens a gateway accepts. */
async function ofUsers({ gateways, core }: Runtime, principal: Principal): Promise<Dependency[]> {
  const used = new Set<string | undefined>();
  const { items } = await gateways.list(principal, { limit: MAX_LIMIT, offset: 0 });
  for (const gateway of items) used.add(gateway.user_source_id);
  return core.settings.user_sources
    .filter(({ id }) => used.has(id))
    .map(({ id, issuer }) => ({ check: `user source ${id}`, address: issuer, issuerIn: "its issuer" }));
}

function ofSettings({ core: { settings } }: Runtime): Dependency[] {
  const { "auth.url": url, "audit.heads_url": heads } = settings;
  const headsAt = originOf(heads ?? "");
  return [
    ...(url === undefined ? [] : [{ check: "identity provider", address: url, issuerIn: "auth.url" }]),
    ...(headsAt === undefined ? [] : [{ check: "audit.heads_url", address: headsAt }]),
  ];
}

/** A sample call of each plugin that an active hook calls. While one that fails closed is down, tool calls fail. */
async function checkWebhooks(runtime: Runtime, principal: Principal): Promise<Finding[]> {
  const { plugins, trials } = runtime;
  const listed = await activeHooks(runtime, principal);
  const found = [...Map.groupBy(listed, ({ plugin_id }) => plugin_id)].map(
    async ([id, called]): Promise<Finding[]> => {
      const { name, status } = await plugins.get(principal, id);
      if (status !== "active") return [];
      const { results } = await trials.probe(principal, id);
      const check = `webhook ${name}`;
      const failed = results.filter(({ decision }) => decision === "failed");
      const affected = called.filter(({ hook_point }) => failed.some((one) => one.hook_point === hook_point));
      if (affected.length === 0) return [ok(check, "It answers a sample call.")];
      const reasons = [
        ...new Set(failed.map(({ hook_point, reason = "no usable answer" }) => `${hook_point}: ${reason}`)),
      ];
      const fix = `Start or correct it, and see its answers: runtime plugins test ${id}`;
      const isClosed = affected.some(({ failure_mode }) => failure_mode === "fail_closed");
      return isClosed
        ? [
            problem(
              check,
              `It fails, and its hooks are fail_closed, so tool calls fail (${reasons.join("; ")}).`,
              fix,
            ),
          ]
        : [warning(check, `It fails, and tool calls continue without it (${reasons.join("; ")}).`, fix)];
    },
  );
  return (await Promise.all(found)).flat();
}

/** Endpoints of active plugins that no hook calls, and which therefore decide about nothing. */
async function checkUncalled({ plugins }: Runtime, principal: Principal): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const binding_type of ["project", "tenant"] as const) {
    const { items } = await plugins.list(principal, { binding_type, limit: MAX_LIMIT, offset: 0 });
    for (const { id, name, status, not_in_force = [] } of items) {
      const points = not_in_force.filter(({ reason }) => reason === "no_hook").map((one) => one.hook_point);
      if (status !== "active" || points.length === 0) continue;
      const message = `No hook calls its endpoint for ${points.join(" and ")}, so it decides about nothing there.`;
      const fix = `Create a hook: runtime hooks create NAME --plugin ${id} --point ${points[0] ?? ""}`;
      found.push(warning(`webhook ${name}`, message, fix));
    }
  }
  return found;
}

async function activeHooks({ hooks }: Runtime, principal: Principal): Promise<Hook[]> {
  const listed: Hook[] = [];
  for (;;) {
    const page = await hooks.list(principal, { status: "active", limit: MAX_LIMIT, offset: listed.length });
    listed.push(...page.items);
    if (page.items.length === 0 || listed.length >= page.total_count) return listed;
  }
}

function originOf(address: string): string | undefined {
  const origin = URL.parse(address)?.origin;
  return origin === "null" ? undefined : origin;
}

function unique(dependencies: readonly Dependency[]): Dependency[] {
  return [...new Map(dependencies.map((one) => [`${one.check} ${one.address}`, one])).values()];
}
