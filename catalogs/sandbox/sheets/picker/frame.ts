// The picker in its frame: `GET` and `POST /picker`. Picked files are granted to the project if the page set it: without
// `setAppId` the platform grants nothing.
import type { File, Library } from "../drive/library";
import { PICKER_SCOPE } from "../oauth/scopes";
import type { Caller, TokenStore } from "../oauth/tokens";
import { ACTIONS, WITHOUT_COOKIES } from "../behaviour/picker";
import { form, isSite, page, telling } from "./page";

/** Browsers of the people, as tests set them. */
export interface Browsers {
  /** Third-party cookies are blocked. */
  readonly blocksCookies: boolean;
  /** Whether the picker reports an error this time. */
  pickerFails(): boolean;
  /** The person who is signed in. */
  readonly signedIn: string | null;
}

interface View {
  readonly mimeTypes: string;
  readonly drives: boolean;
}

export async function answerPicker(
  request: Request,
  library: Library,
  tokens: TokenStore,
  browsers: Browsers,
): Promise<Response> {
  const isAnswer = request.method === "POST";
  const fields = new URLSearchParams(isAnswer ? await request.text() : new URL(request.url).search);
  const caller = tokens.check(fields.get("token"));
  const problem = problemOf(fields, caller);
  if (problem !== undefined || caller === null) {
    return page(403, "The picker cannot be shown", `<p>${Bun.escapeHTML(problem ?? "")}</p>`);
  }
  if (browsers.blocksCookies) return page(200, WITHOUT_COOKIES.title, "<p>Sign in to pick files.</p>");
  if (browsers.pickerFails()) return telling("parent", fields.get("origin") ?? "", { action: ACTIONS.ERROR });
  const files = library.files.filter((file) => isShown(file, fields, caller, library));
  const isMany = featuresOf(fields).includes("multiselectEnabled");
  if (isAnswer) return pick(fields, files, caller, library, isMany);
  const boxes = files.map(
    ({ id, workbook }) =>
      `<label><input type="${isMany ? "checkbox" : "radio"}" name="pick" value="${id}"> ${Bun.escapeHTML(workbook.title)}</label>`,
  );
  const buttons = `<button name="do" value="select">Select</button><button name="do" value="cancel">Cancel</button>`;
  return page(200, `Files of ${caller.person.name}`, form("/picker", fields, boxes.join("") + buttons));
}

function problemOf(fields: URLSearchParams, caller: Caller | null): string | undefined {
  if (caller === null) return "The token does not work.";
  if (caller.scopes.join(" ") !== PICKER_SCOPE) return "The token is not for single files alone.";
  if (fields.get("app_id") !== caller.project) return "The project is not that of the token.";
  return isSite(fields.get("origin") ?? "") ? undefined : "The origin is none.";
}

function isShown(file: File, fields: URLSearchParams, { person }: Caller, library: Library): boolean {
  if (file.trashed || library.roleOf(person, file) === null) return false;
  const isInDrive = file.driveId !== null;
  if (isInDrive && !featuresOf(fields).includes("sdr")) return false;
  const views: View[] = JSON.parse(fields.get("views") ?? "[]");
  return views.some(
    ({ mimeTypes, drives }) => drives === isInDrive && mimeTypes.split(",").includes(file.mimeType),
  );
}

function pick(
  fields: URLSearchParams,
  files: readonly File[],
  { person, project }: Caller,
  library: Library,
  isMany: boolean,
): Response {
  const origin = fields.get("origin") ?? "";
  const ids = fields.getAll("pick");
  const picked = files.filter(({ id }) => ids.includes(id));
  if (fields.get("do") !== "select" || picked.length === 0 || (picked.length > 1 && !isMany)) {
    return telling("parent", origin, { action: ACTIONS.CANCEL });
  }
  for (const file of picked) library.markOpened(file, person, project);
  const docs = picked.map(({ id, workbook, mimeType }) => ({ id, name: workbook.title, mimeType }));
  return telling("parent", origin, { action: ACTIONS.PICKED, docs });
}

function featuresOf(fields: URLSearchParams): string[] {
  return (fields.get("features") ?? "").split(",");
}
