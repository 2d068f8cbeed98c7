// Picking files: the person allows the application single files of theirs. The provider keeps that grant, for person
// and project; nothing of it comes to us, and the token that is stored already serves for the picked files.
import * as oauth from "oauth4webapi";
import type { Core } from "../../core";
import { newToken } from "../../crypto";
import type { Provider, Providers } from "../../providers";
import { providerAddress } from "../address";
import { wellFormed } from "../callback/checks";
import {
  PICK_PARAMS,
  PICKED_IDS,
  PICKER_PROVIDER,
  PICKER_SCOPE,
  pickerScripts,
  type PlatformScript,
  projectNumberOf,
  SPREADSHEET_TYPE,
} from "../compat";
import { clientIdOf } from "./config";
import { checkPickState, isPickState, newPickState, type StateCheck } from "./state";

export type PickerOutcome =
  /** The platform's picker, run by scripts on our page. */
  | {
      kind: "scripts";
      picker: PlatformScript;
      identity: PlatformScript;
      clientId: string;
      appId: string;
      scope: string;
      mimeType: string;
    }
  | { kind: "redirect"; location: string; cookie: string }
  | { kind: "picked"; files: number }
  | { kind: "not_picked"; reason: string }
  | { kind: "refused"; status: 400; reason: string };

const BAD_LINK = refused(
  "This link is not complete, or the application's settings have changed since it was made. " +
    "Ask the application for a new one.",
);
const AGAIN = "Open the link of the application again.";

const REFUSALS: Readonly<Record<Exclude<StateCheck, "good">, PickerOutcome>> = {
  unknown: refused(`This answer does not belong to a link that was opened here. ${AGAIN}`),
  "other browser": refused(
    `The link was opened in another browser, or this browser refuses cookies. ${AGAIN}`,
  ),
  expired: refused(`This answer of the provider is too old. ${AGAIN}`),
};

export class Picker {
  readonly #core: Core;
  readonly #providers: Providers;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
  }

  /** A link to the picker was opened. `configs`: every `config` of its query. */
  async open(configs: readonly string[], cookie: string | undefined): Promise<PickerOutcome> {
    const [config = "", ...others] = configs;
    const clientId = others.length > 0 ? undefined : clientIdOf(config);
    if (clientId === undefined) return BAD_LINK;
    const provider = await this.#providers.findByClient(PICKER_PROVIDER, clientId);
    if (provider === undefined) return BAD_LINK;
    if (this.#core.settings["sheets.picker"] === "redirect") return this.#redirect(provider, cookie);
    return {
      kind: "scripts",
      ...pickerScripts(this.#core.settings),
      clientId,
      appId: projectNumberOf(clientId) ?? "",
      scope: PICKER_SCOPE,
      mimeType: SPREADSHEET_TYPE,
    };
  }

  /** The provider sent the browser back. Undefined: not from picking. The code is left alone and runs out. */
  async callback(
    externalId: string,
    query: URLSearchParams,
    cookie: string | undefined,
  ): Promise<PickerOutcome | undefined> {
    if (!query.getAll("state").some(isPickState)) return undefined;
    const parameters = wellFormed(query);
    if (!("state" in parameters)) return REFUSALS.unknown;
    const provider = await this.#providers.findByExternalId(externalId);
    if (provider === undefined) return REFUSALS.unknown;
    const check = await checkPickState(this.#core, provider, parameters.state, cookie);
    return check === "good" ? resultOf(query) : REFUSALS[check];
  }

  async #redirect(provider: Provider, cookie: string | undefined): Promise<PickerOutcome> {
    const browser = cookie ?? newToken(this.#core.random);
    const { oauth2 } = provider;
    const location = await providerAddress({
      provider: {
        ...provider,
        oauth2: { ...oauth2, authorize: { ...oauth2.authorize, params: PICK_PARAMS } },
      },
      scopes: [PICKER_SCOPE],
      granted: [],
      state: await newPickState(this.#core, provider, browser),
      // Kept by nobody: whoever gets hold of the code cannot use it.
      verifier: oauth2.pkce ? oauth.generateRandomCodeVerifier() : undefined,
    });
    return { kind: "redirect", location, cookie: browser };
  }
}

function resultOf(query: URLSearchParams): PickerOutcome {
  const error = query.get("error");
  if (error === "access_denied") return { kind: "not_picked", reason: "You did not give the permission." };
  if (error !== null) return { kind: "not_picked", reason: "The provider answered with an error." };
  const ids = (query.get(PICKED_IDS) ?? "").split(",").filter((id) => id !== "");
  const files = new Set(ids).size;
  return files > 0 ? { kind: "picked", files } : { kind: "not_picked", reason: "No file was chosen." };
}

function refused(reason: string): PickerOutcome {
  return { kind: "refused", status: 400, reason };
}
