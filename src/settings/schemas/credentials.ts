// Named credentials and catalogs: the maps an operator defines and notebooks refer to by name. These five shapes are
// also what the credentials route of a running server replaces, so they are checked in one place.

import { isAbsolute } from 'node:path';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'is not a string, a number or true/false' });

/** `{name: {field: value}}`; a value is literal, `${VAR}` or `${file:/absolute/path}`. */
export const namedCredentialsSchema = z.record(
  z.string().min(1),
  z.record(z.string().min(1), scalar.superRefine(checkReference)),
);

/** `{scheme: name}`: the credential of mounts that name none. */
export const mountCredentialsSchema = z.record(z.string().min(1), z.string().min(1)).superRefine((schemes, context) => {
  for (const scheme of Object.keys(schemes)) {
    if (MOUNT_SCHEMES.includes(scheme)) continue;
    context.addIssue({
      code: 'custom',
      path: [scheme],
      message: `is not a mount scheme (${MOUNT_SCHEMES.join(', ')})`,
    });
  }
});

/** `{name: [absolute directories]}`. */
export const credentialPathsSchema = z
  .record(z.string().min(1), z.array(z.string()).readonly())
  .superRefine((paths, context) => {
    for (const [name, directories] of Object.entries(paths)) {
      for (const directory of directories) {
        if (isAbsolute(directory)) continue;
        context.addIssue({ code: 'custom', path: [name], message: `'${directory}' is not an absolute path` });
      }
    }
  });

/** `{name: [principal globs]}`. */
export const credentialWritersSchema = z.record(z.string().min(1), z.array(z.string().min(1)).readonly());

/** `{name: dollars for a gigabyte}`. */
export const credentialReadCostSchema = z.record(z.string().min(1), z.number().min(0));

export const catalogPropertiesSchema = z.record(z.string().min(1), scalar);

/** `{name: properties}`; the name is the part of a table address before the colon. */
export const catalogsSchema = z.record(z.string(), catalogPropertiesSchema).superRefine((catalogs, context) => {
  for (const name of Object.keys(catalogs)) {
    if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) continue;
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'is not a catalog name (a letter, then letters, digits, _ or -)',
    });
  }
});

export type NamedCredentials = Readonly<z.infer<typeof namedCredentialsSchema>>;
export type CatalogProperties = Readonly<z.infer<typeof catalogPropertiesSchema>>;
export type Catalogs = Readonly<z.infer<typeof catalogsSchema>>;

const MOUNT_SCHEMES = ['file', 's3', 'gs', 'gcs', 'az', 'azure'];

function checkReference(value: string | number | boolean, context: z.RefinementCtx): void {
  const file = /^\$\{file:(.*)\}$/.exec(String(value))?.[1];
  if (file === undefined || isAbsolute(file)) return;
  context.addIssue({ code: 'custom', message: `'${file}' is not an absolute path` });
}
