// The files and their permissions. An application with a token for single files sees only those that it created or that
// the person opened with it; others do not exist for it.
import type { Caller } from "../oauth/tokens";
import { DRIVE_SCOPES } from "../oauth/scopes";
import type { Person } from "../people";
import { FOREIGN_FILE, OFFICE_FILE, OFFICE_TYPES, VIEWER_WRITES } from "../behaviour/refusals";
import { errorInfo, PlatformError, refusedBy } from "../platform-error";
import { Workbook } from "../workbook/workbook";

export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";

export interface File {
  readonly id: string;
  readonly workbook: Workbook;
  readonly mimeType: string;
  readonly owner: Person;
  readonly driveId: string | null;
  readonly domainShared: boolean;
  readonly createdAt: number;
  modifiedAt: number;
  trashed: boolean;
  starred: boolean;
  /** Person → role, without the owner. */
  readonly roles: Map<string, "reader" | "writer">;
  /** Persons and projects that have opened it. */
  readonly opened: Set<string>;
}

export interface SharedDrive {
  readonly id: string;
  readonly members: ReadonlySet<string>;
}

export type NewFile = Pick<File, "owner"> &
  Partial<Omit<File, "owner" | "workbook">> & { title: string; locale?: string; externalAccess?: boolean };

export class Library {
  readonly files: File[] = [];
  readonly drives = new Map<string, SharedDrive>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add({ title, locale, externalAccess = false, ...given }: NewFile): File {
    const id = given.id ?? newFileId();
    const at = given.createdAt ?? this.#now();
    const file: File = {
      mimeType: SPREADSHEET_TYPE,
      driveId: null,
      domainShared: false,
      trashed: false,
      starred: false,
      roles: new Map(),
      opened: new Set(),
      ...given,
      id,
      createdAt: at,
      modifiedAt: given.modifiedAt ?? at,
      workbook: new Workbook(id, title, { locale, externalAccess }),
    };
    this.files.push(file);
    return file;
  }

  /** Throws for an unknown id. */
  known(id: string): File {
    const file = this.files.find((one) => one.id === id);
    if (file === undefined) throw new Error(`There is no file ${id}.`);
    return file;
  }

  /** The spreadsheet, for a caller who may read or write it. Throws 404 and 403 as the platform does. */
  open(caller: Caller, id: string, need: "read" | "write"): File {
    const file = this.files.find((one) => one.id === id);
    if (file === undefined || isOfSibling(file.mimeType)) throw notFound();
    const role = this.roleOf(caller.person, file);
    const wide = DRIVE_SCOPES[need].some((scope) => caller.scopes.includes(scope));
    if (!wide && !file.opened.has(keyOf(caller.person, caller.project))) {
      // A token with a read scope sees the file, but may not write to it.
      const seen = role !== null && DRIVE_SCOPES.read.some((scope) => caller.scopes.includes(scope));
      throw seen ? refusedBy(VIEWER_WRITES) : notFound();
    }
    if (role === null) throw forbidden();
    if (OFFICE_TYPES.has(file.mimeType)) throw refusedBy(OFFICE_FILE);
    if (file.mimeType !== SPREADSHEET_TYPE) throw refusedBy(FOREIGN_FILE);
    if (need === "write" && role === "reader") throw refusedBy(VIEWER_WRITES);
    return file;
  }

  /** Whether lists of this caller include the file. */
  isVisible(caller: Caller, file: File): boolean {
    if (this.roleOf(caller.person, file) === null) return false;
    const wide = DRIVE_SCOPES.read.some((scope) => caller.scopes.includes(scope));
    return wide || file.opened.has(keyOf(caller.person, caller.project));
  }

  markOpened(file: File, person: Person, project: string): void {
    file.opened.add(keyOf(person, project));
  }

  touch(file: File): void {
    file.modifiedAt = Math.max(this.#now(), file.modifiedAt);
  }

  roleOf(person: Person, file: File): "owner" | "reader" | "writer" | null {
    if (file.driveId !== null) {
      return this.drives.get(file.driveId)?.members.has(person.name) === true ? "writer" : null;
    }
    if (file.owner === person) return "owner";
    const shared = file.roles.get(person.name) ?? null;
    const sameDomain = domainOf(person) !== null && domainOf(person) === domainOf(file.owner);
    return shared ?? (file.domainShared && sameDomain ? "reader" : null);
  }

  free(): void {
    for (const { workbook } of this.files) workbook.free();
  }
}

function domainOf(person: Person): string | null {
  return person.profile["hd"] ?? null;
}

function keyOf(person: Person, project: string): string {
  return `${person.name} ${project}`;
}

/** Documents and slides of the platform do not exist for the spreadsheet interface. */
function isOfSibling(mimeType: string): boolean {
  return mimeType.startsWith("application/vnd.google-apps.") && mimeType !== SPREADSHEET_TYPE;
}

function newFileId(): string {
  return `1${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;
}

function notFound(): PlatformError {
  return new PlatformError(404, "Requested entity was not found.", { status: "NOT_FOUND" });
}

function forbidden(): PlatformError {
  return new PlatformError(403, "The caller does not have permission", { status: "PERMISSION_DENIED" });
}

/** The token has no scope of the method. */
export function insufficientScopes(method: string): PlatformError {
  return new PlatformError(403, "Request had insufficient authentication scopes.", {
    status: "PERMISSION_DENIED",
    details: [errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", { method })],
    errors:
      method.includes("files") || method.includes("about") ? [{ reason: "insufficientPermissions" }] : [],
  });
}
