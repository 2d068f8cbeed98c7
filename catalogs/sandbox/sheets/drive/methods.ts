// The file interface: lists of files, and information about the user's storage.
import type { JsonRecord } from "../../chat/json";
import { type Method, type MethodCall } from "../methods/call";
import { DRIVE_SCOPES } from "../oauth/scopes";
import type { Person } from "../people";
import { invalidParameter, PlatformError } from "../platform-error";
import { ABOUT, FILE_LIST } from "../shapes";
import { corpusOf } from "./corpus";
import type { File } from "./library";
import { orderOf } from "./order";
import { parseQuery, type Searched } from "./query";

const MOST_FILES = 1000;
const DEFAULT_FILES = 100;

export const driveMethods: readonly Method[] = [
  {
    id: "files.list",
    verb: "GET",
    path: /^\/drive\/v3\/files$/,
    parameters: [
      ..."q orderBy pageSize pageToken corpora driveId spaces".split(" "),
      ..."includeItemsFromAllDrives supportsAllDrives".split(" "),
    ],
    scopes: DRIVE_SCOPES.anyRead,
    shape: FILE_LIST,
    run: listFiles,
  },
  {
    id: "about.get",
    verb: "GET",
    path: /^\/drive\/v3\/about$/,
    parameters: [],
    scopes: DRIVE_SCOPES.anyRead,
    shape: ABOUT,
    run: about,
  },
];

function listFiles(call: MethodCall): JsonRecord {
  const { query, library, caller, fault } = call;
  const search = parseQuery(query.get("q") ?? "trashed = false or trashed = true");
  const orderBy = query.get("orderBy");
  if (search.fullText && orderBy !== null) throw noOrder();
  const inCorpus = corpusOf(query, library, caller);
  const compare = orderBy === null ? () => 0 : orderOf(orderBy);
  const found = library.files
    .filter((file) => inCorpus(file) && library.isVisible(caller, file) && search.matches(searched(file)))
    .toSorted(compare);
  const size = pageSize(query);
  const start = startOf(query);
  const end = start + (fault?.kind === "short_page" ? Math.min(fault.items, size) : size);
  return {
    kind: "drive#fileList",
    incompleteSearch: fault?.kind === "incomplete_search",
    ...(end < found.length ? { nextPageToken: tokenOf(query, end) } : {}),
    // Without a mask files have only these fields.
    files: found.slice(start, end).map((file) => fileRecord(file, caller.person, call.hasMask)),
  };
}

function pageSize(query: URLSearchParams): number {
  const text = query.get("pageSize") ?? String(DEFAULT_FILES);
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > MOST_FILES) throw invalidParameter("pageSize", `Invalid value '${text}'.`);
  return size;
}

/** A token belongs to its search, with any page size. */
function tokenOf(query: URLSearchParams, position: number): string {
  return Buffer.from(JSON.stringify([position, searchOf(query)])).toString("base64url");
}

function startOf(query: URLSearchParams): number {
  const token = query.get("pageToken");
  if (token === null) return 0;
  try {
    const [position, search]: unknown[] = JSON.parse(Buffer.from(token, "base64url").toString());
    if (typeof position === "number" && search === searchOf(query)) return position;
  } catch {
    // Refused below.
  }
  throw invalidParameter("pageToken");
}

function searchOf(query: URLSearchParams): string {
  const names = ["q", "orderBy", "corpora", "driveId"];
  return Bun.hash(JSON.stringify(names.map((name) => query.get(name)))).toString(36);
}

function searched(file: File): Searched {
  const { title, sheets } = file.workbook;
  return {
    name: title,
    mimeType: file.mimeType,
    trashed: file.trashed,
    starred: file.starred,
    createdTime: timeOf(file.createdAt),
    modifiedTime: timeOf(file.modifiedAt),
    text: [title, ...sheets.map((sheet) => sheet.title)].join(" "),
    owners: [file.owner.email],
  };
}

function fileRecord(file: File, person: Person, whole: boolean): JsonRecord {
  const { id, mimeType, workbook } = file;
  const short = { kind: "drive#file", id, name: workbook.title, mimeType };
  if (!whole) return short;
  return {
    ...short,
    starred: file.starred,
    trashed: file.trashed,
    createdTime: timeOf(file.createdAt),
    modifiedTime: timeOf(file.modifiedAt),
    webViewLink: `https://docs.google.com/spreadsheets/d/${id}/edit?usp=drivesdk`,
    quotaBytesUsed: "1024",
    // Files of a shared drive belong to the drive.
    ...(file.driveId === null ? { owners: [userRecord(file.owner, person)] } : { driveId: file.driveId }),
  };
}

function userRecord(user: Person, person: Person): JsonRecord {
  const { picture } = user.profile;
  return {
    kind: "drive#user",
    displayName: user.displayName,
    ...(picture === undefined ? {} : { photoLink: picture }),
    me: user === person,
    permissionId: user.id.slice(1),
    emailAddress: user.email,
  };
}

function about({ caller, hasMask, library }: MethodCall): JsonRecord {
  if (!hasMask) {
    const message = "The 'fields' parameter is required for this method.";
    throw invalidParameter("fields", message, "required");
  }
  const { person } = caller;
  const own = library.files.filter((file) => file.owner === person && file.driveId === null).length;
  return {
    kind: "drive#about",
    user: userRecord(person, person),
    storageQuota: {
      ...(person.storageLimit === null ? {} : { limit: String(person.storageLimit) }),
      usage: String(own * 1024),
      usageInDrive: String(own * 1024),
      usageInDriveTrash: "0",
    },
    canCreateDrives: person.profile["hd"] !== undefined,
  };
}

function noOrder(): PlatformError {
  const message =
    "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.";
  return new PlatformError(403, message, { errors: [{ reason: "forbidden" }] });
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
