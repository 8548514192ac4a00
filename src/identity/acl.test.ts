// Rule 11: deny first, allow for the written name only, then the default.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AclConfig, AclRule } from '../settings/index.ts';
import { mayReadRecorded, mayReadTable } from './acl.ts';
import { anyone, identified } from './caller.ts';

const ann = identified('ann@lab', 't1', []);
const rule = (tables: string[], more: Partial<AclRule> = {}): AclRule => ({
  principal: '*',
  tenant: null,
  tables,
  ...more,
});
const acl = (parts: Partial<AclConfig>): AclConfig => ({ default: 'deny', deny: [], allow: [], ...parts });

describe('table access', () => {
  const cases: [name: string, acl: AclConfig, reference: string, aliases: string[], allowed: boolean][] = [
    ['the default allows', acl({ default: 'allow' }), 'file:db.t', [], true],
    ['the default denies', acl({}), 'file:db.t', [], false],
    ['an allow lets its own name through', acl({ allow: [rule(['s3:db.*'])] }), 's3:db.t', [], true],
    ['an allow does not count for another prefix', acl({ allow: [rule(['s3:db.*'])] }), 'gs:db.t', ['s3:db.t'], false],
    [
      'a deny is not overridden by an allow',
      acl({ allow: [rule(['*'])], deny: [rule(['file:db.t'])] }),
      'file:db.t',
      [],
      false,
    ],
    [
      'a deny counts for every name of the table',
      acl({ default: 'allow', deny: [rule(['s3:db.t'])] }),
      'file:db.t',
      ['s3:db.t'],
      false,
    ],
    [
      'a deny with a star prefix covers all names',
      acl({ default: 'allow', deny: [rule(['*:db.t'])] }),
      'lake:db.t',
      [],
      false,
    ],
    [
      'a rule for another principal does not apply',
      acl({ allow: [rule(['*'], { principal: 'bob*' })] }),
      'file:db.t',
      [],
      false,
    ],
    ['a rule for this principal does', acl({ allow: [rule(['*'], { principal: 'ann@*' })] }), 'file:db.t', [], true],
    ['a tenant is compared exactly', acl({ allow: [rule(['*'], { tenant: 't' })] }), 'file:db.t', [], false],
    ['the caller’s own tenant fits', acl({ allow: [rule(['*'], { tenant: 't1' })] }), 'file:db.t', [], true],
    ['names are compared with their case', acl({ allow: [rule(['file:DB.t'])] }), 'file:db.t', [], false],
  ];
  for (const [name, config, reference, aliases, allowed] of cases) {
    it(name, () => assert.equal(mayReadTable(config, ann, { reference, aliases }), allowed));
  }

  it('of an address that a result recorded and that names no table is nobody’s', () => {
    const settings = { aclConfig: acl({ default: 'allow' }), catalogs: {}, catalogUri: null, catalogProperties: {} };
    const may = (uri: string): boolean => mayReadRecorded(settings, ann, uri);
    assert.deepEqual([may('/wh#db.t'), may('/wh#a.b.c'), may('https://example.org/data')], [true, false, false]);
  });

  it('is never asked of callers without identity', () => {
    assert.equal(mayReadTable(acl({ deny: [rule(['*'])] }), anyone, { reference: 'file:db.t' }), true);
  });
});
