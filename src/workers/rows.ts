// Makes and changes rows of workers.
import type { Core } from "../core";
import { invalidParameter, notFound, readOnly } from "../errors";
import { movedAddresses, requireGivenAgain } from "../origins";
import { changedConfig, configOf, givenSecrets, newConfig, protocolOf, type WorkerConfig } from "./config";
import { typeOf } from "./known";
import type { WorkerRow } from "./repository";
import {
  checkAddress,
  checkAuthorizationServer,
  checkFieldsOfType,
  checkHeaders,
  checkIdentity,
  checkSecretAddress,
  toolkitOf,
} from "./rules";
import type { CreateWorker, UpdateWorker } from "./schema";
import {
  type GivenSecrets,
  namesOf,
  openOrLost,
  receiversOf,
  sealedFields,
  sealSecrets,
  secretsWith,
} from "./secrets";
import { checkStdio } from "./stdio/rules";
import { STDIO_SCHEME } from "./stdio/schema";

/** A new row, with the rules of records but those that need other rows. */
export async function newRow(core: Core, projectId: string, request: CreateWorker): Promise<WorkerRow> {
  const { row, secrets } = plainRow(projectId, request, core.clock.now());
  return { ...row, sealed_secrets: await sealSecrets(core.keyring, row, secrets) };
}

/** A row whose secrets are not sealed yet. */
export function plainRow(
  projectId: string,
  request: CreateWorker,
  now: number,
): { row: WorkerRow; secrets: GivenSecrets } {
  const { type, uri } = protocolOf(request);
  checkFieldsOfType(type, request);
  checkAddress(type, uri, request.mcp?.stdio !== undefined);
  const secrets = secretsWith({}, givenSecrets(request));
  const config: WorkerConfig = { ...newConfig(request), sealed: namesOf(secrets) };
  checkHeaders(config, secrets);
  checkSecretAddress(type, uri, secrets);
  checkStdio(config, secrets);
  checkAuthorizationServer(config);
  checkIdentity(type, config);
  return {
    row: {
      project_id: projectId,
      id: request.id,
      type,
      enabled: request.enabled === false ? 0 : 1,
      uri,
      // An HTTP worker names its toolkits itself.
      toolkit: type === "http" ? "" : (request.toolkit ?? toolkitOf(request.id)),
      config: JSON.stringify(config),
      sealed_secrets: null,
      origins: JSON.stringify(receiversOf(uri)),
      version: 1,
      created_at: now,
      updated_at: now,
    },
    secrets,
  };
}

/** The row after a patch. Throws `malformed_request` if a secret would get to another origin. */
export async function changedRow(core: Core, before: WorkerRow, patch: UpdateWorker): Promise<WorkerRow> {
  const type = typeOf(before);
  checkFieldsOfType(type, patch);
  const config = configOf(before);
  const isProgram = config.stdio !== undefined;
  checkKept(isProgram, patch);
  const uri = patch.http?.uri ?? patch.mcp?.uri ?? before.uri;
  checkAddress(type, uri, isProgram);
  const given = givenSecrets(patch);
  const address = { field: `${type}.uri`, address: uri };
  // An operator who changes a program may give it anything.
  const moved = isProgram ? [] : movedAddresses([address], JSON.parse(before.origins));
  requireGivenAgain(moved, sealedFields(type, config.sealed, given));
  const secrets = secretsWith(await openOrLost(core.keyring, before), given);
  const next: WorkerConfig = { ...changedConfig(config, patch), sealed: namesOf(secrets) };
  checkHeaders(next, secrets);
  checkSecretAddress(type, uri, secrets);
  checkStdio(next, secrets);
  checkAuthorizationServer(next);
  checkIdentity(type, next);
  const isSealedAgain = Object.keys(given).length > 0;
  return {
    ...before,
    enabled: patch.enabled === undefined ? before.enabled : Number(patch.enabled),
    uri,
    toolkit: patch.toolkit ?? before.toolkit,
    config: JSON.stringify(next),
    sealed_secrets: isSealedAgain ? await sealSecrets(core.keyring, before, secrets) : before.sealed_secrets,
    origins: JSON.stringify(receiversOf(uri)),
    version: before.version + 1,
    updated_at: core.clock.now(),
  };
}

/** A program stays one, and an address too: their secrets are not given for the same. */
function checkKept(isProgram: boolean, { mcp }: UpdateWorker): void {
  const isOther = isProgram ? mcp?.uri !== undefined : mcp?.stdio !== undefined;
  if (!isOther) return;
  const [is, field] = isProgram ? ["a program", "mcp.uri"] : ["at an address", "mcp.stdio"];
  throw invalidParameter(`This worker is ${is}: ${field} cannot be set. Delete it and create another one.`);
}

/** Whether the catalog must be read again. */
export function asksDifferently(before: WorkerRow, after: WorkerRow): boolean {
  const facts = ({ uri, sealed_secrets, config }: WorkerRow): unknown => {
    const { timeout, retry, headers, key_user, oauth2, stdio, authorization, send_tokens, identity_header } =
      JSON.parse(config) as WorkerConfig;
    return {
      uri,
      sealed_secrets,
      timeout,
      retry,
      headers,
      key_user,
      oauth2,
      stdio,
      authorization,
      send_tokens,
      identity_header,
    };
  };
  return after.enabled === 1 && (before.enabled === 0 || !Bun.deepEquals(facts(before), facts(after)));
}

/** The error for an address that the address policy refuses, with the setting that would allow it. */
export function refusedAddress(field: string, uri: string, { message: reason }: { message: string }): Error {
  if (uri.startsWith(STDIO_SCHEME))
    return invalidParameter(reason, {
      fieldErrors: [{ field: "mcp.stdio", rule: "paths", message: reason }],
    });
  const { hostname = "", port = "", protocol } = URL.parse(uri) ?? {};
  const entry = `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
  const message = `${reason} For example: RUNTIME_EGRESS_ALLOW=${entry}`;
  return invalidParameter(`${field}: ${message}`, {
    fieldErrors: [{ field, rule: "egress.allow", message }],
  });
}

export function unknownWorker(): Error {
  return notFound("There is no worker with this id in this project.");
}

export function fixedWorker(id: string): Error {
  return readOnly(`The worker "${id}" is part of the configuration. Change it there.`);
}
