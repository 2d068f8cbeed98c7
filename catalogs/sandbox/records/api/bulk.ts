// Bulk read: a job is started, polled until it is done, and returns an address for the export.
import { Digits, type WireObject } from "../exact-json";
import { dateTimeText } from "../world/fields";
import type { Form } from "../world/model";
import { objectIn } from "./body";
import { type Call, type Members, type Operation, reportOf } from "./call";
import type { Job } from "./jobs";
import { badBody, Refusal } from "./refusal";
import { matching } from "./rows";

const DEFAULT_MOST = 100_000;

export const createJob: Operation = (call) => {
  const { application, report, form } = reportOf(call);
  const { person, jobs } = call;
  if (person === undefined) throw new Error("A bulk route without a person.");
  if (!report.exportable) throw new Refusal(400, 7150, "This kind of report is not exported.");
  const query = call.body["query"] === undefined ? {} : objectIn(call.body, "query");
  const place = placeOf(call);
  const { total, most } = extent(
    call,
    query,
    form,
    place,
    () => matching(call.world.table(application, form.link), form, textIn(query, "criteria")).length,
  );
  if (!jobs.mayStart(person)) throw new Refusal(429, 2955, "Too many jobs in a minute.");
  return { details: details(jobs.start(person, place, total, most), "Scheduled") };
};

export const getJob: Operation = (call) => {
  reportOf(call);
  const job = call.jobs.find(call.path["job"] ?? "");
  if (job === undefined || job.place !== placeOf(call))
    throw new Refusal(400, 7120, "The job does not exist.");
  if (job.person !== call.person) throw new Refusal(400, 7130, "This job is somebody else's.");
  if (job.pollsLeft > 0) {
    job.pollsLeft -= 1;
    return { details: details(job, "In-progress") };
  }
  return { details: { ...details(job, "Completed"), result: resultOf(call, job) } };
};

function extent(
  call: Call,
  query: WireObject,
  form: Form,
  place: string,
  count: () => number,
): { total: number; most: number } {
  const cursor = textIn(query, "record_cursor");
  if (cursor !== undefined) {
    // Other parameters belong to the job that the cursor continues.
    const rest = Object.keys(query).length > 1 ? undefined : call.jobs.rest(cursor, place);
    if (rest === undefined) throw badBody();
    return { total: rest, most: DEFAULT_MOST };
  }
  const { fields = [] } = query;
  const known = (name: unknown): boolean => name === "ID" || form.fields.some(({ link }) => link === name);
  if (!Array.isArray(fields) || !fields.every(known)) throw badBody();
  return { total: count(), most: mostOf(query) };
}

function mostOf(query: WireObject): number {
  const written = query["max_records"];
  if (written === undefined) return DEFAULT_MOST;
  const most = written instanceof Digits && /^\d+$/.test(written.text) ? Number(written.text) : 0;
  if (most < 100_000 || most > 200_000 || most % 1000 !== 0) {
    throw new Refusal(400, 3070, "max_records is not valid.");
  }
  return most;
}

function textIn(query: WireObject, name: string): string | undefined {
  const value = query[name];
  if (value !== undefined && (typeof value !== "string" || value === "")) throw badBody();
  return value;
}

/** Reports of one name in different applications are different places. */
function placeOf({ path }: Call): string {
  return [path["owner"], path["app"], path["report"]].join("/");
}

function details(job: Job, status: string): Members {
  return {
    id: job.id,
    operation: "read",
    status,
    created_by: { ID: job.person.name, name: job.person.name },
    created_time: dateTimeText(job.createdAt),
  };
}

function resultOf({ path }: Call, job: Job): Members {
  const report = [path["owner"], path["app"], "report", path["report"]].map((part) =>
    encodeURIComponent(part ?? ""),
  );
  return {
    count: job.count,
    download_url: `/creator/v2/bulk/${report.join("/")}/read/${job.id}/result`,
    ...(job.cursor === null ? {} : { record_cursor: job.cursor }),
  };
}
