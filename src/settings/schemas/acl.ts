// The table access rules (`SVC_ACL_CONFIG`, `[tool.svc.acl]`): shape only. How a rule is matched lives with the
// tables; here a rule that could never match, or that means something else than written, is refused.

import { z } from 'zod';

const glob = z.string().min(1);

export const aclRuleSchema = z.strictObject({
  /** Glob over the caller's principal. */
  principal: glob.default('*'),
  /** Exact tenant; null means any. */
  tenant: z.string().min(1).nullable().default(null),
  /** Globs over `<prefix>:<namespace>.<table>`. */
  tables: z.array(glob).min(1).readonly(),
});

export const aclConfigSchema = z.strictObject({
  default: z.enum(['allow', 'deny']).default('allow'),
  deny: z.array(aclRuleSchema).readonly().default([]),
  allow: z.array(aclRuleSchema).readonly().default([]),
});

export type AclRule = Readonly<z.infer<typeof aclRuleSchema>>;
export type AclConfig = Readonly<z.infer<typeof aclConfigSchema>>;

export const ACL_KEYS = ['default', 'deny', 'allow', 'principal', 'tenant', 'tables'];

/** Rules were written; a bare default of `allow` changes nothing and does not count. */
export function hasAclRules(acl: AclConfig): boolean {
  return acl.deny.length > 0 || acl.allow.length > 0 || acl.default === 'deny';
}
