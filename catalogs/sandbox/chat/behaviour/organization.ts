// Installations for a whole organization.

export interface OrganizationRule {
  readonly what: "team of the grant" | "team of auth.test" | "memberships";
  readonly value: "null" | "organization" | "enterprise_is_restricted";
  readonly source: string;
}

/** How the platform treats them. */
export const ORGANIZATION: readonly OrganizationRule[] = [
  {
    what: "team of the grant",
    value: "null",
    source: "docs.slack.dev/enterprise/organization-ready-apps: `team` is null in oauth.v2.access",
  },
  {
    what: "team of auth.test",
    value: "organization",
    source: "slackapi/java-slack-sdk: auth.test answers the enterprise's id as team_id for org-level tokens",
  },
  {
    what: "memberships",
    value: "enterprise_is_restricted",
    source: "looker-open-source/actions#438, korotovsky/slack-mcp-server#220",
  },
];

/** The id that takes the place of a workspace's; null for none. */
export function teamInstead(
  what: "team of the grant" | "team of auth.test",
  organization: string,
): string | null {
  return valueOf(what) === "organization" ? organization : null;
}

/** The error of a listing of memberships, in organizations that restrict it. */
export function membershipsError(): string {
  return valueOf("memberships");
}

function valueOf(what: OrganizationRule["what"]): string {
  const rule = ORGANIZATION.find((each) => each.what === what);
  if (rule === undefined) throw new Error(`no rule for ${what}`);
  return rule.value;
}
