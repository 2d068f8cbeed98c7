// Checks that the metadata of an issuer can be read, and that the issuer is spelled as its metadata spells it.
import { isSameIssuer, loadMetadata, MetadataError } from "../authorization-server";
import type { Core } from "../core";
import { type Finding, ok, problem, warning } from "./finding";
import { type EndpointOptions, skew, TIMEOUT_MS, unreachable } from "./network";

export interface IssuerOptions extends EndpointOptions {
  /** The setting or field that holds the issuer. */
  issuerIn: string;
}

/** Checks an issuer, and compares the clock of its server with that of this machine. */
export async function checkIssuer(
  core: Core,
  check: string,
  issuer: string,
  { project, issuerIn }: IssuerOptions,
): Promise<Finding[]> {
  const { settings } = core;
  // A provider of many tenants publishes a template instead.
  const isTemplate = issuerIn === "auth.url" && settings["auth.issuer"] !== undefined;
  const get = (address: string) =>
    core.egress.fetch(address, {
      group: "check",
      project,
      headers: { accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxBytes: 1_000_000,
    });
  try {
    const { metadata, date } = await loadMetadata(
      issuer,
      get,
      (found) => isTemplate || isSameIssuer(found.issuer, issuer),
    );
    const { origin } = new URL(issuer);
    const isSpelled = isTemplate || metadata.issuer === issuer;
    const finding = isSpelled
      ? ok(check, `${origin} answers.`)
      : warning(
          check,
          `${issuerIn} is ${issuer}, but the provider spells its issuer ${metadata.issuer}, which clients are told.`,
          `Set ${issuerIn} to ${metadata.issuer}.`,
        );
    return [finding, ...skew(core, origin, date)];
  } catch (error) {
    if (!(error instanceof MetadataError)) return [unreachable(check, new URL(issuer), error)];
    if (error.issuer !== undefined) {
      const message = `The metadata at ${error.address} is that of another issuer, ${error.issuer}.`;
      return [problem(check, message, `Set ${issuerIn} to the issuer that you mean.`)];
    }
    const message = `${error.address} answers with the status ${error.status}, so its metadata cannot be read.`;
    return [problem(check, message, "Correct the address of the issuer, or start its server.")];
  }
}
