// A request with its route: caller, target and parameters.
import type { WireObject, Writable } from "../exact-json";
import type { Person } from "../people";
import type { Application, Form, Report } from "../world/model";
import type { World } from "../world/world";
import type { Jobs } from "./jobs";
import type { Query } from "./query";
import { Refusal } from "./refusal";

export interface Call {
  readonly world: World;
  readonly jobs: Jobs;
  /** Undefined on the private-link routes. */
  readonly person: Person | undefined;
  /** Decoded segments by the names in the route. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: WireObject;
}

export type Members = { [key: string]: Writable };

/** Answers without `code`, which is 3000 by default. */
export type Operation = (call: Call) => Members;

/** The name that is recorded for a change. */
export function authorOf(call: Call): string {
  return call.person?.name ?? "guest";
}

/** Throws 404/1040 for another owner, 404/2892 for an unknown application, 403/2933 for one that is not shared. */
export function applicationOf(call: Call): Application {
  const { account } = call.world;
  if (call.path["owner"] !== account.owner) throw new Refusal(404, 1040, "The account owner does not exist.");
  const application = account.applications.find(({ link }) => link === call.path["app"]);
  if (application === undefined) throw new Refusal(404, 2892, "The application does not exist.");
  const name = call.person?.name;
  const shared = name === undefined || name === account.ownedBy || application.sharedWith.includes(name);
  if (!shared) throw new Refusal(403, 2933, "The application is not shared with this user.");
  return application;
}

/** Throws 404/2893 in addition to `applicationOf`. */
export function formOf(call: Call): { application: Application; form: Form } {
  const application = applicationOf(call);
  const form = application.forms.find(({ link }) => link === call.path["form"]);
  if (form === undefined) throw new Refusal(404, 2893, "The form does not exist.");
  return { application, form };
}

/** Throws 404/2894 in addition to `applicationOf`. */
export function reportOf(call: Call): { application: Application; report: Report; form: Form } {
  const application = applicationOf(call);
  const report = application.reports.find(({ link }) => link === call.path["report"]);
  if (report === undefined) throw new Refusal(404, 2894, "The report does not exist.");
  return { application, report, form: call.world.formOf(application, report) };
}

/** Throws 403/2898 or 403/2899 for another publication's key. */
export function requirePrivateLink(
  call: Call,
  component: "report" | "form",
  application: Application,
  link: string,
): void {
  const publication = call.world.publication(component, application.link, link);
  const key = call.query.required("privatelink");
  if (publication?.key === key) return;
  throw new Refusal(
    403,
    component === "report" ? 2898 : 2899,
    "This component is not published under this key.",
  );
}
