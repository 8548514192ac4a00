// The door of the settings room: load once at startup, pass the value on, never read the environment elsewhere.

export { cellLimitsTold } from './cellLimits.ts';
export { cellPolicyOf } from './cellPolicy.ts';
export { type CredentialSettings, replaceCredentialSettings, showCredentialSettings } from './credentialSettings.ts';
export { environmentForPrograms, isOwnVariable } from './environment.ts';
export { describeProblems, SettingsError } from './errors.ts';
export type { Environment, Source } from './given.ts';
export { type LoadedSettings, type LoadOptions, loadSettings, type Overrides } from './load.ts';
export { type LoadedWorkerSettings, loadWorkerSettings, type WorkerSettings } from './loadWorker.ts';
export { PROJECT_FILE, readProjectSection } from './projectFile.ts';
export { renderSettings, type SettingsFormat } from './render/index.ts';
export type { DeploymentMode } from './row.ts';
export { type AclConfig, type AclRule, aclConfigSchema, aclRuleSchema, hasAclRules } from './schemas/acl.ts';
export type { CatalogProperties, Catalogs, NamedCredentials } from './schemas/credentials.ts';
export {
  type SeededWorker,
  type TransformEntry,
  type TransformsConfig,
  transformsConfigSchema,
} from './schemas/transforms.ts';
export { type SettingEntry, type SettingKey, type Settings, settingsTable } from './table.ts';
export { timeoutGroups } from './timeouts.ts';
