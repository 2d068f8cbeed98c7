// The applications of the account and their components.
import { type JsonObject, judged, kindOf, type PlatformCheck, withoutExample } from "../../../src/tools";
import { objectsIn } from "../../upstream/json";
import { CATEGORIES, COMPONENT_TYPES, FIELD_TYPES, FORM_TYPES } from "../legend";
import { applications, codeSeen, formsOf, type RecordsProbe, reportsOf } from "./probe";
import { refusedAs, withPlace } from "./verdicts";

const APPLICATIONS = "GetApplicationMetaInfo";
const FORMS = "FetchVendorFormMetaInformation";
const SECTIONS = "FetchVendorAppSections";
const PAGES = "FetchVendorCreatorPagesMeta";
const FIELDS = "FetchVendorFormFieldsMetadata";

const UNKNOWN = "self-check-does-not-exist";

export const APPLICATION_CHECKS: readonly PlatformCheck<RecordsProbe>[] = [
  {
    name: "applications",
    expects: "applications have workspace_name and link_name, and a category of the table",
    tool: APPLICATIONS,
    async run(probe) {
      const asked = await applications(probe);
      const items = objectsIn(asked.body, "applications");
      const unnamed = items.filter((item) => !hasTexts(item, "workspace_name", "link_name")).length;
      const others = withOtherNumbers(items, "category", CATEGORIES);
      const isList = kindOf(asked.body["applications"]) === "list";
      return judged(asked.ok && isList && unnamed === 0 && others === 0, {
        ...codeSeen(asked),
        applications: items.length,
        without_names: unnamed,
        with_other_category: others,
      });
    },
  },
  {
    name: "unknown-owner",
    expects: "an unknown account owner is refused with a code of the table that says so",
    tool: "FetchWorkspaceAppMeta",
    async run(probe) {
      const asked = await probe.ask("FetchWorkspaceAppMeta", { workspace_account_owner_name: UNKNOWN });
      return refusedAs(asked, "missing", "input", "refused");
    },
  },
  {
    name: "unknown-application",
    expects: "an unknown application is refused with a code of the table that says so",
    tool: FORMS,
    run: (probe) =>
      withPlace(probe, async ({ owner }) =>
        refusedAs(await formsOf(probe, owner, UNKNOWN), "missing", "input"),
      ),
  },
  {
    name: "forms",
    expects: "forms have link_name and a type of the table, or the application has none (3910)",
    tool: FORMS,
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await formsOf(probe, owner, application);
        const items = objectsIn(asked.body, "forms");
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        const others = withOtherNumbers(items, "type", FORM_TYPES);
        return judged((asked.ok || asked.code === 3910) && unnamed === 0 && others === 0, {
          ...codeSeen(asked),
          forms: items.length,
          without_names: unnamed,
          of_other_types: others,
        });
      }),
  },
  {
    name: "reports",
    expects: "reports have link_name, or the application has none (3930)",
    tool: "FetchVendorReportsMeta",
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await reportsOf(probe, owner, application);
        const items = objectsIn(asked.body, "reports");
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        return judged((asked.ok || asked.code === 3930) && unnamed === 0, {
          ...codeSeen(asked),
          reports: items.length,
          without_names: unnamed,
        });
      }),
  },
  {
    name: "sections",
    expects: "components in sections have link_name and a type of the table",
    tool: SECTIONS,
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await probe.ask(SECTIONS, {
          vendor_account_owner_name: owner,
          vendor_application_link_name: application,
        });
        const items = objectsIn(asked.body, "sections").flatMap((section) =>
          objectsIn(section, "components"),
        );
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        const others = withOtherNumbers(items, "type", COMPONENT_TYPES);
        return judged(asked.ok && unnamed === 0 && others === 0, {
          ...codeSeen(asked),
          components: items.length,
          without_names: unnamed,
          of_other_types: others,
        });
      }),
  },
  {
    name: "pages",
    expects: "pages have link_name, or the application has none (3920)",
    tool: PAGES,
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await probe.ask(PAGES, {
          account_owner_name: owner,
          vendor_app_link_name: application,
        });
        const items = objectsIn(asked.body, "pages");
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        return judged((asked.ok || asked.code === 3920) && unnamed === 0, {
          ...codeSeen(asked),
          pages: items.length,
          without_names: unnamed,
        });
      }),
  },
  {
    name: "fields",
    expects: "fields have link_name, a number as type, and booleans for mandatory and unique",
    tool: FIELDS,
    run: (probe) =>
      withPlace(probe, async ({ owner, application, form }) => {
        if (form === undefined) return withoutExample();
        const asked = await probe.ask(FIELDS, {
          account_owner_name: owner,
          application_link_name: application,
          form_identifier: form,
        });
        const items = objectsIn(asked.body, "fields");
        const others = items.filter((item) => !isField(item)).length;
        const unknown = withOtherNumbers(items, "type", FIELD_TYPES);
        return judged(asked.ok && others === 0, {
          ...codeSeen(asked),
          fields: items.length,
          of_another_form: others,
          // The table of types is known to lack some.
          of_types_without_a_word: unknown,
        });
      }),
  },
];

function hasTexts(item: JsonObject, ...fields: string[]): boolean {
  return fields.every((field) => kindOf(item[field]) === "text");
}

function withOtherNumbers(
  items: readonly JsonObject[],
  key: string,
  words: Readonly<Record<number, string>>,
): number {
  return items.filter((item) => typeof item[key] !== "number" || words[item[key]] === undefined).length;
}

function isField(item: JsonObject): boolean {
  const flags = [kindOf(item["mandatory"]), kindOf(item["unique"])];
  return (
    hasTexts(item, "link_name") &&
    typeof item["type"] === "number" &&
    flags.every((kind) => kind === "boolean")
  );
}
