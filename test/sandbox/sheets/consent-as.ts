// Goes through the consent page like a person: submits its form, and does not open the next page.

interface Form {
  action: string;
  readonly fields: [string, string][];
  readonly choices: string[];
}

export interface Choices {
  /** Scopes to refuse. */
  readonly drop?: readonly string[];
  /** Ids of files to pick. */
  readonly pick?: readonly string[];
}

/**
 * Consents on the stand-in's page. `page`: its address. `personName`: whose button is pressed, or `cancel`. Answers
 * the address to which the browser would be sent, which is not called. Throws when the page is an error page or has no
 * such button.
 */
export async function consentAs(page: string, personName: string, choices: Choices = {}): Promise<string> {
  const shown = await fetch(page, { redirect: "manual" });
  if (shown.status !== 200) throw new Error(`No consent page: ${shown.status} ${await shown.text()}`);
  const form = await readForm(shown);
  if (!form.choices.includes(personName))
    throw new Error(`The consent page has no button for ${personName}.`);
  const drop = (choices.drop ?? []).map((scope): [string, string] => ["drop", scope]);
  const pick = (choices.pick ?? []).map((id): [string, string] => ["pick", id]);
  const answer = await fetch(new URL(form.action, page), {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams([...form.fields, ...drop, ...pick, ["user", personName]]),
  });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`No redirect: ${answer.status} ${await answer.text()}`);
  return location;
}

async function readForm(page: Response): Promise<Form> {
  const form: Form = { action: "", fields: [], choices: [] };
  const rewriter = new HTMLRewriter()
    .on("form", { element: (element) => void (form.action = decode(element.getAttribute("action"))) })
    .on("form input[type=hidden]", {
      element: (element) =>
        void form.fields.push([decode(element.getAttribute("name")), decode(element.getAttribute("value"))]),
    })
    .on("form button[name=user]", {
      element: (element) => void form.choices.push(decode(element.getAttribute("value"))),
    });
  await rewriter.transform(page).text();
  return form;
}

/** The attribute's value, with the five escapes of HTML decoded. */
function decode(attribute: string | null): string {
  return (attribute ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
