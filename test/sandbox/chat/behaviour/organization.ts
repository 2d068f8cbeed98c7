// Installations for a whole organization.

export interface OrganizationRule {
  readonly what: "team of the grant" | "team of auth.test" | "memberships";
  readonly value: "null" | "organization" | "enterprise_is_restricted";
  readonly source: string;
}

/** What a grant for a whole organization says in place of a workspace. */
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
