// Metadata: applications, sections, forms, reports, pages, fields.
import { type Field, KIND_NUMBERS } from "../world/fields";
import { type Application, DATE_FORMAT } from "../world/model";
import { applicationOf, type Call, formOf, type Members, type Operation } from "./call";
import { Refusal } from "./refusal";

const TYPE_NUMBERS = { form: 1, report: 2, page: 3 } as const;

/** All applications that the caller sees. */
export const listApplications: Operation = (call) => ({
  applications: visible(call).map((app) => described(call, app)),
});

/** Those of one account. */
export const listWorkspace: Operation = (call) => {
  if (call.path["owner"] !== call.world.account.owner) {
    throw new Refusal(404, 1040, "The account owner does not exist.");
  }
  return listApplications(call);
};

export const listSections: Operation = (call) => {
  const { forms, reports, pages, name } = applicationOf(call);
  const components = [
    ...forms.map(({ link, display }) => ({
      type: TYPE_NUMBERS.form,
      display_name: display,
      link_name: link,
    })),
    ...reports.map(({ link, display, type }) => ({
      type: TYPE_NUMBERS.report,
      display_name: display,
      link_name: link,
      view_type: type,
    })),
    ...pages.map(({ link, display }) => ({
      type: TYPE_NUMBERS.page,
      display_name: display,
      link_name: link,
      page_type: 1,
    })),
  ];
  return { sections: [{ display_name: name, link_name: "Main", components }] };
};

export const listForms: Operation = (call) => ({
  forms: some(applicationOf(call).forms, 3910).map(({ link, display, type }) => ({
    display_name: display,
    link_name: link,
    type,
  })),
});

export const listReports: Operation = (call) => ({
  reports: some(applicationOf(call).reports, 3930).map(({ link, display, type }) => ({
    display_name: display,
    link_name: link,
    type,
  })),
});

export const listPages: Operation = (call) => ({
  pages: some(applicationOf(call).pages, 3920).map(({ link, display }) => ({
    display_name: display,
    link_name: link,
  })),
});

export const listFields: Operation = (call) => ({ fields: formOf(call).form.fields.map(fieldMembers) });

function fieldMembers(field: Field): Members {
  return {
    display_name: field.display,
    link_name: field.link,
    type: KIND_NUMBERS[field.kind],
    mandatory: field.mandatory === true,
    unique: field.unique === true,
    max_char: field.kind === "text" ? (field.maxChar ?? 255) : 0,
    ...(field.choices === undefined
      ? {}
      : { choices: field.choices.map((choice) => ({ key: choice, value: choice })) }),
  };
}

function visible({ world, person }: Call): Application[] {
  const { ownedBy, applications } = world.account;
  const name = person?.name ?? "";
  return applications.filter(({ sharedWith }) => name === ownedBy || sharedWith.includes(name));
}

function described({ world, person }: Call, application: Application): Members {
  const { owner, ownedBy } = world.account;
  return {
    application_name: application.name,
    link_name: application.link,
    workspace_name: owner,
    date_format: DATE_FORMAT,
    time_zone: "Europe/London",
    creation_date: "05-Jan-2026",
    created_by: ownedBy,
    category: person?.name === ownedBy ? 1 : 2,
  };
}

/** An empty application is refused; it does not return an empty list. */
function some<T>(items: readonly T[], code: number): readonly T[] {
  if (items.length === 0) throw new Refusal(200, code, "The application has none of these.");
  return items;
}
