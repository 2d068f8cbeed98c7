// Assembles the spreadsheet stand-in: engine, files and OAuth on one loopback address.
import { KEEPS_UNEXCHANGED_PICKS } from "./behaviour/picker";
import { Library } from "./drive/library";
import { restoreLibrary, type SavedLibrary, savedLibrary } from "./drive/saved";
import { answerRequest, type FrontParts, PATHS } from "./front";
import { Codes } from "./oauth/codes";
import { IdTokens } from "./oauth/id-token";
import { projectOf, type SavedTokens, TokenStore } from "./oauth/tokens";
import { type People, PEOPLE, personNamed } from "./people";
import { PICKER_PATHS } from "./picker/front";
import { type QuotaSettings, Quotas } from "./quotas";
import { addFile, cellOf, sheetsOf } from "./seed";
import type { Interceptor, IssuedToken, SeededFile, SeenCell, SeenSheet } from "./types";

/** The platform's issuer in tokens and callbacks, independent of its endpoints. */
const ISSUER = "https://accounts.google.com";

export interface SheetsOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Exact addresses. Default: any loopback or https address. */
  readonly redirectUris?: readonly string[];
  /** Files and grants of an earlier run (`saved`). */
  readonly saved?: SavedSheets;
  /** Calls per person and minute. Default: unlimited. */
  readonly quota?: QuotaSettings;
  /** Picked files belong to the application although the code is never exchanged; the platform does not document it. Default false. */
  readonly keepsUnexchangedPicks?: boolean;
  /** Empty fields are sent too; the platform may do either. Default false. */
  readonly sendEmpty?: boolean;
  /** Milliseconds. Default: the real clock. */
  readonly now?: () => number;
  /** Sees every call and may change it. */
  readonly intercept?: Interceptor;
}

export interface SheetsPlatform extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: replaces the hosts of the spreadsheet and file interfaces. */
  readonly url: string;
  readonly userinfoUrl: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  /** The two scripts for browsers. */
  readonly pickerScriptUrl: string;
  readonly identityScriptUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly people: People;
  setQuota(quota: QuotaSettings): void;
  /** Issues a token without consent. `clientId`: for another application. */
  issueToken(
    personName: string,
    scopes: readonly string[],
    options?: { expiresIn?: number; refresh?: boolean; clientId?: string },
  ): IssuedToken;
  /** Expires a token. */
  expireToken(accessToken: string): void;
  /** Revokes the grant of a token, as a person or an administrator may. */
  revoke(token: string): void;
  /** Sets the scopes that people refuse on the consent page. */
  denyScopes(scopes: readonly string[]): void;
  /** Whether the browsers of people block third-party cookies. */
  blockCookies(blocks: boolean): void;
  /** The next `times` (default 1) pickers report an error. */
  failPicker(times?: number): void;
  /** Who is signed in at the platform in every browser; null: no account. */
  signIn(personName: string | null): void;
  /** Adds a spreadsheet without the interface; returns its id. */
  addFile(file?: SeededFile): string;
  /** Adds a shared drive; returns its id. */
  addDrive(members: readonly string[]): string;
  share(fileId: string, personName: string, role: "reader" | "writer"): void;
  /** Opens a file with the application, like the picker. */
  open(fileId: string, personName: string): void;
  sheets(fileId: string): readonly SeenSheet[];
  /** The content of a cell, by the sheet's title and a name such as `C7`. */
  cell(fileId: string, sheetTitle: string, cell: string): SeenCell;
  /** Ids of all files in order of creation. */
  fileIds(): readonly string[];
  titleOf(fileId: string): string;
  /** Files and grants, for the same option of a later run. */
  saved(): SavedSheets;
  stop(): Promise<void>;
}

export interface SavedSheets {
  library: SavedLibrary;
  tokens: SavedTokens;
}

/** Starts an independent stand-in on 127.0.0.1. */
export async function startSheetsPlatform(options: SheetsOptions = {}): Promise<SheetsPlatform> {
  const now = options.now ?? Date.now;
  const clientId = options.clientId ?? "123456789012-sandbox.apps.googleusercontent.com";
  const clientSecret = options.clientSecret ?? "sandbox-client-secret";
  const project = projectOf(clientId);
  const library = new Library(now);
  const tokens = new TokenStore(now);
  if (options.saved !== undefined) {
    restoreLibrary(library, options.saved.library);
    tokens.restore(options.saved.tokens);
  }
  const codes = new Codes(now);
  const quotas = new Quotas(options.quota ?? {}, now);
  let denied: ReadonlySet<string> = new Set();
  let failures = 0;
  const browsers = {
    blocksCookies: false,
    signedIn: null as string | null,
    pickerFails: () => failures > 0 && failures-- > 0,
  };

  const server = listen(
    {
      now,
      library,
      tokens,
      codes,
      quotas,
      intercept: options.intercept,
      browsers,
      sendEmpty: options.sendEmpty ?? false,
      endpoint: {
        clients: new Map([[clientId, clientSecret]]),
        codes,
        tokens,
        idTokens: new IdTokens(ISSUER, now),
      },
      consent: () => ({
        clientIds: [clientId],
        redirectUris: options.redirectUris ?? null,
        denied,
        issuer: ISSUER,
        signedIn: browsers.signedIn,
        keepsUnexchangedPicks: options.keepsUnexchangedPicks ?? KEEPS_UNEXCHANGED_PICKS,
      }),
    },
    options.port ?? 0,
  );
  const url = `http://127.0.0.1:${server.port}`;

  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      await server.stop(true);
      library.free();
    })());

  return {
    url,
    clientId,
    clientSecret,
    people: PEOPLE,
    stop,
    userinfoUrl: url + PATHS.userinfo,
    authorizeUrl: url + PATHS.authorize,
    tokenUrl: url + PATHS.token,
    revokeUrl: url + PATHS.revoke,
    pickerScriptUrl: url + PICKER_PATHS.api,
    identityScriptUrl: url + PICKER_PATHS.identity,
    setQuota: (quota) => void (quotas.settings = quota),
    issueToken(personName, scopes, { expiresIn, refresh = false, clientId: other = clientId } = {}) {
      const issue = { person: personNamed(personName), clientId: other, scopes, includeGranted: false };
      const { accessToken, refreshToken } = tokens.issue({
        ...issue,
        offline: refresh,
        prompted: refresh,
        expiresIn,
      });
      return { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) };
    },
    expireToken: (accessToken) => tokens.expire(accessToken),
    revoke: (token) => void tokens.revoke(token),
    denyScopes: (scopes) => void (denied = new Set(scopes)),
    blockCookies: (blocks) => void (browsers.blocksCookies = blocks),
    failPicker: (times = 1) => void (failures = times),
    signIn: (personName) => void (browsers.signedIn = personName),
    addFile: (file = {}) => addFile(library, project, file),
    addDrive(members) {
      const id = `0A${crypto.randomUUID().replaceAll("-", "").slice(0, 17)}`;
      library.drives.set(id, { id, members: new Set(members) });
      return id;
    },
    share: (fileId, personName, role) =>
      void library.known(fileId).roles.set(personNamed(personName).name, role),
    open: (fileId, personName) => library.markOpened(library.known(fileId), personNamed(personName), project),
    sheets: (fileId) => sheetsOf(library, fileId),
    cell: (fileId, sheetTitle, cell) => cellOf(library, fileId, sheetTitle, cell),
    fileIds: () => library.files.map(({ id }) => id),
    saved: () => ({ library: savedLibrary(library), tokens: tokens.saved() }),
    titleOf: (fileId) => library.known(fileId).workbook.title,
    [Symbol.asyncDispose]: stop,
  };
}

function listen(parts: FrontParts, port: number): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 120,
    development: false,
    // Without this, `development: false` lets a second server share the port silently.
    reusePort: false,
    maxRequestBodySize: 64 * 1024 * 1024,
    fetch: (request) => answerRequest(parts, request),
  });
}
