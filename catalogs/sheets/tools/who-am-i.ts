// Sheets.WhoAmI: the user who gave the grant, and what it covers. Makes two calls at the same time.
import { Type } from "typebox";
import { defineTool, type JsonObject, type ToolContext } from "../../../src/tools";
import { SheetsClient } from "../client";
import { fileGrant, READS } from "../metadata";
import { DRIVE, DRIVE_READONLY, EMAIL, PROFILE } from "../platform";
import { getAbout, getUserInfo } from "../upstream/calls";
import { nonEmptyTextIn, objectIn } from "../../upstream/json";

const text = (description: string) => Type.Optional(Type.String({ description }));
const bytes = (description: string) => Type.Optional(Type.Integer({ description }));

const Profile = Type.Object({
  user_id: text("The user's id"),
  email: text("The user's e-mail address"),
  email_verified: Type.Optional(Type.Boolean({ description: "Whether the platform verified the address" })),
  name: text("The user's full name"),
  given_name: text("The user's first name"),
  family_name: text("The user's last name"),
  picture_url: text("Address of the user's picture"),
  organization_domain: text("Domain of the user's organization"),
  environment: Type.Object({
    granted_scopes: Type.Array(Type.String(), { description: "The granted scopes" }),
    file_access: Type.Enum(["per_file", "read_all", "all"], {
      type: "string",
      description: "per_file: only files that were created or opened through this application",
    }),
    storage_limit_bytes: bytes(
      "Size of the user's storage, or of the organization's where it is pooled; absent when it is unlimited or unknown",
    ),
    storage_used_bytes: bytes("Storage used by the user, or by the organization where it is pooled"),
  }),
});

export const whoAmI = defineTool({
  name: "WhoAmI",
  description:
    "Returns the user's profile (name, e-mail address, picture, organization) and what the tools can access: the granted " +
    "scopes, the kind of file access, the storage.",
  input: Type.Object({}),
  output: Profile,
  authorization: fileGrant(PROFILE, EMAIL),
  metadata: READS,
  async run(_input, context) {
    const client = new SheetsClient(context);
    const [profile, about] = await Promise.all([client.call(getUserInfo()), aboutOrNothing(client)]);
    return { ...personOf(profile, objectIn(about, "user")), environment: environmentOf(context, about) };
  },
});

/** The profile is complete without it; the other call shows whether the grant works. */
async function aboutOrNothing(client: SheetsClient): Promise<JsonObject> {
  try {
    return await client.call(getAbout());
  } catch {
    client.context.log("warning", "The storage of the user could not be read.");
    return {};
  }
}

/** Leaves out fields that the platform does not return. */
function personOf(profile: JsonObject, user: JsonObject) {
  const known = {
    user_id: nonEmptyTextIn(profile, "sub"),
    email: nonEmptyTextIn(profile, "email") ?? nonEmptyTextIn(user, "emailAddress"),
    name: nonEmptyTextIn(profile, "name") ?? nonEmptyTextIn(user, "displayName"),
    given_name: nonEmptyTextIn(profile, "given_name"),
    family_name: nonEmptyTextIn(profile, "family_name"),
    picture_url: nonEmptyTextIn(profile, "picture") ?? nonEmptyTextIn(user, "photoLink"),
    organization_domain: nonEmptyTextIn(profile, "hd"),
  };
  const verified = profile["email_verified"];
  return {
    ...Object.fromEntries(Object.entries(known).filter((entry) => entry[1] !== undefined)),
    ...(typeof verified === "boolean" ? { email_verified: verified } : {}),
  };
}

function environmentOf(context: ToolContext, about: JsonObject) {
  const scopes = context.grant?.scopes ?? [];
  const quota = objectIn(about, "storageQuota");
  return {
    granted_scopes: [...scopes],
    file_access: fileAccess(scopes),
    ...bytesOf("storage_limit_bytes", quota["limit"]),
    ...bytesOf("storage_used_bytes", quota["usage"]),
  };
}

function fileAccess(scopes: readonly string[]): "per_file" | "read_all" | "all" {
  if (scopes.includes(DRIVE)) return "all";
  return scopes.includes(DRIVE_READONLY) ? "read_all" : "per_file";
}

/** The platform sends 64-bit numbers as text. */
function bytesOf(name: "storage_limit_bytes" | "storage_used_bytes", value: unknown) {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) ? { [name]: Number(count) } : {};
}
